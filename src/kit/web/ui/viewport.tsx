/** The visible part of the window, in pixels. A phone's keyboard covers the rest. */
interface View {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

const edge = 8;

/** The visible part of the window, without a margin at each edge. */
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

/** The side of a field on which its list opens to stay in the window, and its maximum height. */
export interface MenuPlacement {
  placement: "top" | "bottom";
  maxHeight: number;
}

/** Below the field if `wanted` fits, or if there is more room than above. */
export function menuPlacement(field: Element, wanted: number): MenuPlacement {
  const { top, bottom } = field.getBoundingClientRect();
  const view = visibleViewport();
  const below = view.bottom - bottom;
  const above = top - view.top;
  const placement = below >= Math.min(wanted, above) ? "bottom" : "top";
  return { placement, maxHeight: Math.min(wanted, placement === "bottom" ? below : above) };
}

/**
 * Call `place` whenever a popup beside a field may have to move: on scroll and resize, and when a phone's keyboard
 * opens or closes. Answers how to stop.
 */
export function onViewportChange(place: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  window.addEventListener("resize", place, { signal });
  window.addEventListener("scroll", place, { signal, capture: true, passive: true });
  window.visualViewport?.addEventListener("resize", place, { signal });
  return () => stopping.abort();
}
