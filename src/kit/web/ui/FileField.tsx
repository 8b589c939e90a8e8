import { type DragEvent, useId, useState } from "react";
import css from "./FileField.module.css";

interface FileFieldProps {
  /** Names the button: "Choose a CSV file". */
  label: string;
  hint: string;
  /** The file types that the browser offers: ".csv,text/csv". */
  accept: string;
  onChoose: (file: File) => void;
}

/** Choose or drop a file. The same file can be chosen again after it was corrected. */
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
            event.target.value = ""; // so that choosing the same file again is noticed
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
