/** States, the District, territories and the armed forces' post, as the Postal Service abbreviates them. */
export const stateCodes: ReadonlySet<string> = new Set(
  (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ " +
    "NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI AA AE AP"
  ).split(" "),
);

/**
 * The ten digits of a US phone number, however it was typed (`+1 (555) 010-4477 ext. 12` keeps its
 * extension after an `x`), or null when it is none.
 */
export function phoneDigits(typed: string): string | null {
  const match =
    /^(?:\+?1[\s.-]*)?\(?(\d{3})\)?[\s.-]*(\d{3})[\s.-]*(\d{4})(?:\s*(?:x|ext\.?|extension)\s*(\d{1,6}))?$/i.exec(
      typed.trim(),
    );
  if (!match) return null;
  const [, area, exchange, line, extension] = match;
  return `${area}${exchange}${line}${extension ? `x${extension}` : ""}`;
}

/** Fewer digits are searched for as text: they occur in too many numbers. */
const minDigits = 3;

/**
 * The digits of a phone number, or of a part of one, typed into a search in any format: without the country's 1 and without an extension. Null for a text with a letter in it and
 * for fewer than three digits.
 */
export function phoneSearchDigits(typed: string): string | null {
  const whole = phoneDigits(typed)?.slice(0, 10);
  if (whole) return whole;
  if (/\p{L}/u.test(typed)) return null;
  const digits = typed.replace(/^\s*(?:\+1|1[\s.-])/, "").replaceAll(/\D/g, "");
  const isWithCountry = digits.length === 11 && digits.startsWith("1");
  return digits.length < minDigits ? null : digits.slice(isWithCountry ? 1 : 0);
}

/** As people read it: `(555) 010-4477`, `(555) 010-4477 x12`. What is no US number stays as it is. */
export function formatPhone(phone: string): string {
  const digits = phoneDigits(phone);
  if (!digits) return phone;
  const [number = "", extension] = digits.split("x");
  const written = `(${number.slice(0, 3)}) ${number.slice(3, 6)}-${number.slice(6)}`;
  return extension ? `${written} x${extension}` : written;
}

/** `10013` or `10013-2413`, or null when it is no zip. */
export function zipOf(typed: string): string | null {
  const match = /^(\d{5})(?:[-\s]?(\d{4}))?$/.exec(typed.trim());
  if (!match) return null;
  return match[2] ? `${match[1]}-${match[2]}` : (match[1] ?? null);
}

export interface Address {
  line1: string;
  line2: string;
  city: string;
  region: string;
  zip: string;
}

/** The lines of a postal address: street, second line, "City, ST 12345". */
export function addressLines(address: Address): string[] {
  const place = [address.city, [address.region, address.zip].filter(Boolean).join(" ")]
    .filter(Boolean)
    .join(", ");
  return [address.line1, address.line2, place].filter(Boolean);
}
