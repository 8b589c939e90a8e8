import { encode } from "uqr";
import css from "./second-factor.module.css";

/** A text as a QR code, dark on light in every color scheme, because some cameras cannot read the reverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border: 4 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg className={css["qr"]} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join("")} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
