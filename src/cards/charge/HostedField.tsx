import { type ReactNode, useSyncExternalStore } from "react";
import { type CardField, cardLabels } from "#kit/domain/card.ts";
import type { CardFieldControl } from "./use-card-frame.tsx";
import css from "./CardForm.module.css";

interface HostedFieldProps {
  field: CardField;
  place: CardFieldControl;
  /** The id of the element that holds the processor's frame. */
  frameId: string;
  /** Called on a press on the label or next to the frame. */
  onPress: () => void;
  children: ReactNode;
}

/** A card field that the processor hosts, styled like ours. */
export function HostedField({ field, place, frameId, onPress, children }: HostedFieldProps) {
  return (
    <div className={css["hosted"]} onPointerUp={onPress}>
      <label htmlFor={frameId}>{cardLabels[field]}</label>
      <div className={css["box"]} data-invalid={place.errorId ? "" : undefined}>
        {children}
      </div>
    </div>
  );
}

/** The text style of our own inputs, in values that other sites' frames understand. */
export interface HostedFieldStyle {
  color: string;
  placeholderColor: string;
  fontSize: string;
  fontFamily: string;
}

const isDark = window.matchMedia("(prefers-color-scheme: dark)");

function onSystemChange(listener: () => void): () => void {
  isDark.addEventListener("change", listener);
  return () => isDark.removeEventListener("change", listener);
}

/** Follows the system between light and dark. */
export function useHostedFieldStyle(): HostedFieldStyle {
  return JSON.parse(useSyncExternalStore(onSystemChange, currentStyle)) as HostedFieldStyle; // written by `currentStyle`
}

function currentStyle(): string {
  const probe = document.createElement("span");
  document.body.append(probe);
  const resolved = (color: string) => {
    probe.style.color = color;
    return inRgb(getComputedStyle(probe).color);
  };
  const { fontSize, fontFamily } = getComputedStyle(probe);
  const looks: HostedFieldStyle = {
    color: resolved("var(--ink)"),
    placeholderColor: resolved("var(--muted)"),
    fontSize,
    fontFamily,
  };
  probe.remove();
  return JSON.stringify(looks);
}

/** Processors' frames do not accept `oklch(…)`. */
function inRgb(color: string): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d");
  if (!pen) return color;
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}
