import { type DragEvent, useId, useState } from "react";
import css from "./FileField.module.css";

interface FileFieldProps {
  /** Names the button: "Choose a CSV file". */
  label: string;
  hint: string;
  /** What the browser offers to choose from: ".csv,text/csv". */
  accept: string;
  onChoose: (file: File) => void;
}

/** A file to choose, or to drop. The same one can be chosen again after it was mended. */
export function FileField({ label, hint, accept, onChoose }: FileFieldProps) {
  const [isOver, setOver] = useState(false);
  const id = useId();
  const handleDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onChoose(file);
  };
  return (
    <div
      className={isOver ? `${css["place"]} ${css["over"]}` : css["place"]}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={handleDrop}
    >
      <label className={css["button"]}>
        {label}
        <input
          type="file"
          accept={accept}
          aria-describedby={id}
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file) onChoose(file);
            event.target.value = ""; // else choosing the same file again would not be noticed
          }}
        />
      </label>
      <span className={css["drop"]}>or drop it here</span>
      <span className={css["hint"]} id={id}>
        {hint}
      </span>
    </div>
  );
}
