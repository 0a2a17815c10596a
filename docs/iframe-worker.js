// Browsers start no worker from a file: where the site is opened from the disk, its search runs in a hidden frame instead.
// The name is the one that zensical looks for; without it every page would ask another host for such a script.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow, page = this.frame.contentDocument;
      page.open();
      page.write("<!doctype html><html><head></head><body></body></html>");
      page.close();
      inside.postMessage = (data) => setTimeout(() => this.tell(new MessageEvent("message", { data })));
      const script = page.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onload = () => {
        const first = this.waiting;
        this.waiting = null;
        first.forEach((data) => this.postMessage(data));
      };
      script.onerror = () => this.tell(new ErrorEvent("error", { message: `${url} cannot be read` }));
      page.head.append(script);
    }
    tell(event) {
      if (!this.frame.isConnected) return;
      this[`on${event.type}`]?.(event);
      this.dispatchEvent(event);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else setTimeout(() => this.frame.contentWindow?.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
