// How a page and its table speak: by a socket, or by requests where something between them lets no
// sockets through. Either is a link: `open` says whether it carries texts, `say` sends one.

export function bySocket(table, { opened, heard, closed }) {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/${table}`);
  const link = { open: false, say: (text) => socket.send(text), end: () => socket.close() };
  socket.onopen = () => {
    link.open = true;
    opened();
  };
  socket.onmessage = (event) => heard(JSON.parse(event.data));
  socket.onclose = () => {
    link.open = false;
    closed();
  };
  return link;
}

export function byRequests(table, { opened, heard, closed }) {
  let key = "";
  let before = Promise.resolve(); // Messages arrive in the order in which they were sent.
  const link = { open: false, say: (text) => { before = before.then(() => ask("POST", text)).catch(end); }, end };
  listen();
  return link;

  async function ask(method, body) {
    const answer = await fetch("/api/link", { method, body, headers: { Link: key }, cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }

  async function listen() {
    try {
      const answer = await fetch(`/api/tables/${table}/links`, { method: "POST" });
      key = (await answer.json()).link;
      if (!key) throw new Error(answer.statusText);
      link.open = true;
      opened();
      for (let ended = false; !ended && link.open; ) {
        const found = await ask("GET");
        for (const each of found.news) heard(JSON.parse(each));
        ended = found.ended;
      }
    } catch { /* The connection is lost; whoever holds the link tries again. */ }
    end();
  }

  function end() {
    if (link.over) return;
    link.open = false;
    link.over = true;
    closed();
  }
}
