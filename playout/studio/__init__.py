"""The studio: any game played, searched and understood in a browser on this machine. Nothing here decides what a seat may see.

The data flow, from the page to the rules and back:

    browser  <- socket ->  server process                      a process of its own for every tab
    -------                --------------                      --------------------------------
    click on the board     pages/play.py: one tab's page       worker.py: a loop over commands
      data-action="3"  ->  tab.py: {"do": "play", ...}     ->  sitting.py: Sitting, an agents.course.Course that can be
                                                               jumped about in; its seats hand out worlds
    elements updated   <-  parts of HTML, text and numbers <-  views.py: what the one who looks may see, as HTML
                                                               thinking.py: a search in a thread, a few snapshots a second
                                                               process.py: who watches that it neither hangs nor grows

- No game code runs in the server process. A game that hangs, raises or eats memory ends its own process, and the page says so in a
  sentence; closing the tab ends the process and with it every search. The server only passes strings on.
- The true state never leaves the process of its tab. What goes to the page is made by `views` for one viewer: the person who looks,
  where anything is hidden. Between two persons nothing of the game is sent until the next one says that it is there.
- `catalog.py` is what a page may reach: bundled games, and the files, agents and databases named on the command line. Names that come from
  a page are looked up in it and never opened.
- `server.py` binds a port of the loopback interface, checks host, origin and token of every request and of the socket, and bounds what
  one tab may take.
- Words of a game are escaped, its pictures cleaned (`report.boards`), its numbers are numbers.
"""
