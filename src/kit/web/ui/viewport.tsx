/** The visible part of the window, in pixels: a phone's keyboard covers the rest. */
interface View {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

const edge = 8;

/** The visible part of the window, less a margin at each edge. */
export function visibleViewport(): View {
  const view = window.visualViewport;
  const { clientWidth, clientHeight } = document.documentElement;
  const { offsetTop: top, offsetLeft: left } = view ?? { offsetTop: 0, offsetLeft: 0 };
  return {
    top: top + edge,
    bottom: top + (view?.height ?? clientHeight) - edge,
    left: left + edge,
    right: left + Math.min(view?.width ?? clientWidth, clientWidth) - edge,
  };
}

/** On which side of a field its list opens so that it stays in the window, and how high it may be. */
export interface MenuPlacement {
  placement: "top" | "bottom";
  maxHeight: number;
}

/** Below the field where all of `wanted` has room, or where there is more of it than above. */
export function menuPlacement(field: Element, wanted: number): MenuPlacement {
  const { top, bottom } = field.getBoundingClientRect();
  const view = visibleViewport();
  const below = view.bottom - bottom;
  const above = top - view.top;
  const placement = below >= Math.min(wanted, above) ? "bottom" : "top";
  return { placement, maxHeight: Math.min(wanted, placement === "bottom" ? below : above) };
}

/**
 * Call `place` whenever a popup beside a field may have to move: the window was scrolled or resized, a
 * phone's keyboard opened or closed. Until the returned function is called.
 */
export function onViewportChange(place: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  window.addEventListener("resize", place, { signal });
  window.addEventListener("scroll", place, { signal, capture: true, passive: true });
  window.visualViewport?.addEventListener("resize", place, { signal });
  return () => stopping.abort();
}
