// What is told of a thing while it is pointed at or has the focus. It goes with whatever it is about.
const box = () => document.getElementById("tip");

let last = ""; // Where the pointer was: what comes to lie under one that rests is not pointed at.
const where = (event) => `${event.screenX} ${event.screenY}`;

addEventListener("mousemove", (event) => { last = where(event); });
addEventListener("scroll", () => tip(), { passive: true });
addEventListener("pointerdown", () => tip());

// What an element needs so that this is told of it.
export function hint(about) {
  if (!about) return {};
  const point = (event) => { if (where(event) !== last) tip(event.currentTarget, about); };
  const focus = (event) => { if (event.currentTarget.matches(":focus-visible")) tip(event.currentTarget, about); };
  return { onmousemove: point, onfocus: focus, onmouseleave: () => tip(), onblur: () => tip(), "aria-description": about };
}

// Below the thing, since what counts it stands above; above it where the question is in the way.
export function tip(place, text) {
  const shown = box();
  shown.hidden = !text;
  if (!text) return;
  shown.textContent = text;
  const there = place.getBoundingClientRect();
  const end = Math.min(innerHeight, document.getElementById("ask").getBoundingClientRect().top);
  shown.style.left = `${Math.max(8, Math.min(there.left, innerWidth - shown.offsetWidth - 8))}px`;
  const below = there.bottom + 8;
  const above = there.top - shown.offsetHeight - 8;
  shown.style.top = `${below + shown.offsetHeight <= end || above < 8 ? below : above}px`;
}
