import { deflateSync } from "node:zlib";
import type { AddObject, Fonts } from "#dues/ledger/statements/noto-sans.ts";
import { ascent, type Type, widthOf } from "#dues/ledger/statements/pdf-type.ts";
import { type PdfPicture, pictureObject } from "#dues/ledger/statements/pdf-picture.ts";

/** A page of letter size, in points. */
export const page = { width: 612, height: 792 };

/** Red, green and blue from 0 to 1. */
export type Color = readonly [number, number, number];

/**
 * A PDF with letter-size pages in two fonts, written page by page (ISO 32000-1). A general library took five
 * times as long (docs/decisions/085).
 */
export class PdfFile {
  readonly #parts: Buffer[] = [];
  readonly #offsets: number[] = [];
  readonly #pages: number[] = [];
  readonly #info: { title: string; author: string };
  readonly #fonts: Fonts;
  readonly #picture: { picture: PdfPicture; id: number } | null;
  #length = 0;

  constructor(
    info: { title: string; author: string },
    { fonts, picture }: { fonts: Fonts; picture: PdfPicture | null },
  ) {
    this.#info = info;
    this.#fonts = fonts;
    this.#write(Buffer.from("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n", "latin1"));
    const { dictionary, data } = picture ? pictureObject(picture) : { dictionary: "", data: null };
    this.#picture = picture && data && { picture, id: this.#add(ids.picture, dictionary, data) };
  }

  addPage(drawn: PdfPage): void {
    const contents = this.#add(
      this.#nextId(),
      "/Filter /FlateDecode",
      deflateSync(drawn.drawing()),
    );
    const pictures = this.#picture ? ` /XObject << /${pictureName} ${this.#picture.id} 0 R >>` : "";
    const resources = `/Font << /F1 ${ids.plain} 0 R /F2 ${ids.bold} 0 R >>${pictures}`;
    this.#pages.push(
      this.#add(
        this.#nextId(),
        `/Type /Page /Parent ${ids.pages} 0 R /MediaBox [0 0 ${page.width} ${page.height}] /Resources << ${resources} >> /Contents ${contents} 0 R`,
      ),
    );
  }

  /** The whole file. Nothing can be added after this. */
  end(): Uint8Array<ArrayBuffer> {
    const kids = this.#pages.map((id) => `${id} 0 R`).join(" ");
    this.#add(ids.pages, `/Type /Pages /Kids [${kids}] /Count ${this.#pages.length}`);
    const addNext: AddObject = (dictionary, data) => this.#add(this.#nextId(), dictionary, data);
    this.#add(ids.plain, this.#fonts.plain.object(addNext));
    this.#add(ids.bold, this.#fonts.bold.object(addNext));
    this.#add(
      ids.info,
      `/Title ${textObject(this.#info.title)} /Author ${textObject(this.#info.author)}`,
    );
    this.#add(
      ids.catalog,
      `/Type /Catalog /Pages ${ids.pages} 0 R /Lang (en-US) /ViewerPreferences << /DisplayDocTitle true >>`,
    );
    this.#writeTable();
    const file = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      file.set(part, at);
      at += part.length;
    }
    return file;
  }

  /** Write the offset of each object, and the trailer. */
  #writeTable(): void {
    const count = this.#nextId();
    const places = Array.from({ length: count }, (_, id) => {
      const offset = this.#offsets[id];
      return offset === undefined
        ? `0000000000 65535 f \n`
        : `${String(offset).padStart(10, "0")} 00000 n \n`;
    });
    const start = this.#length;
    this.#write(
      Buffer.from(
        `xref\n0 ${count}\n${places.join("")}trailer\n<< /Size ${count} /Root ${ids.catalog} 0 R /Info ${ids.info} 0 R >>\nstartxref\n${start}\n%%EOF\n`,
      ),
    );
  }

  #add(id: number, dictionary: string, data?: Buffer): number {
    this.#offsets[id] = this.#length;
    const length = data ? ` /Length ${data.length}` : "";
    this.#write(Buffer.from(`${id} 0 obj\n<< ${dictionary}${length} >>\n`));
    if (data) {
      this.#write(Buffer.from("stream\n"));
      this.#write(data);
      this.#write(Buffer.from("\nendstream\n"));
    }
    this.#write(Buffer.from("endobj\n"));
    return id;
  }

  #nextId(): number {
    return Math.max(lastId + 1, this.#offsets.length);
  }

  #write(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }
}

/** Object numbers that every file has. */
const ids = { catalog: 1, pages: 2, plain: 3, bold: 4, info: 5, picture: 6 };
const lastId = 6;
const pictureName = "Picture";

/** Text outside the pages, in UTF-16. */
const textObject = (text: string) =>
  `<feff${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;

/** The drawing of one page. Places are in points from the left and top. */
export class PdfPage {
  readonly #operations: string[] = [];

  /** One line of text, with letters of the fonts only; `y` is the top of the line. */
  text(text: string, place: { x: number; y: number }, style: { type: Type; color: Color }): void {
    const { type, color } = style;
    const baseline = page.height - place.y - ascent(type);
    this.#operations.push(
      `BT ${color.join(" ")} rg /${type.font.id} ${type.size} Tf ${number(place.x)} ${number(baseline)} Td [<${type.font.hexOf(text)}>] TJ ET`,
    );
  }

  /** A line of text that ends at `place.x`. */
  textUpTo(
    text: string,
    place: { x: number; y: number },
    style: { type: Type; color: Color },
  ): void {
    this.text(text, { x: place.x - widthOf(text, style.type), y: place.y }, style);
  }

  rule(
    from: { x: number; y: number },
    width: number,
    { line, color }: { line: number; color: Color },
  ): void {
    const y = number(page.height - from.y);
    this.#operations.push(
      `${line} w ${color.join(" ")} RG ${number(from.x)} ${y} m ${number(from.x + width)} ${y} l S`,
    );
  }

  /** The file's picture, with its top left corner at `place`. */
  picture(
    place: { x: number; y: number },
    { width, height }: { width: number; height: number },
  ): void {
    const y = page.height - place.y - height;
    this.#operations.push(
      `q ${number(width)} 0 0 ${number(height)} ${number(place.x)} ${number(y)} cm /${pictureName} Do Q`,
    );
  }

  drawing(): string {
    return this.#operations.join("\n");
  }
}

const number = (value: number) => String(Math.round(value * 1000) / 1000);
