"""Pages and charts: one self-contained HTML file each, shared by the commands and the studio. One module per page; parts and plots serve all."""
