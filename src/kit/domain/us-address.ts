/** States, the District, territories and the armed forces' post, in this order: names by their postal abbreviation. */
export const usStates: ReadonlyMap<string, string> = new Map(
  (
    "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware," +
    "DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa," +
    "KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota," +
    "MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey," +
    "NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon," +
    "PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah," +
    "VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,AS American Samoa," +
    "GU Guam,MP Northern Mariana Islands,PR Puerto Rico,VI U.S. Virgin Islands,AA Armed Forces Americas," +
    "AE Armed Forces Europe,AP Armed Forces Pacific"
  )
    .split(",")
    .map((state) => [state.slice(0, 2), state.slice(3)]),
);

/**
 * The abbreviation of a state, the District or a territory as people write it: `MA`, `Massachusetts`, `n.y.`, `New
 * York`, `US-MA`, `Washington, D.C.`; null if it is none.
 */
export function stateOf(typed: string): string | null {
  const letters = visibleAscii(typed)
    .toUpperCase()
    .replaceAll(/[\s.,-]/g, "");
  return stateCodes.get(letters.replace(/^US/, "")) ?? null;
}

const stateCodes: ReadonlyMap<string, string> = new Map([
  ["WASHINGTONDC", "DC"],
  ...[...usStates].flatMap(([code, name]): [string, string][] => [
    [code, code],
    [name.toUpperCase().replaceAll(/[\s.]|^U\.S\./g, ""), code],
  ]),
]);

/**
 * Text with one kind of dash, space and digit, and without invisible characters, for reading phone numbers and
 * zips.
 */
const visibleAscii = (typed: string) =>
  typed
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/\p{Dash}/gu, "-")
    .trim();

const phonePattern =
  /^(?:tel:\s*)?(?:(?:\+|00)?1[\s./-]*)?\(?(\d{3})\)?[\s./-]*(\d{3})[\s./-]*(\d{4})(?:(?:[\s,;-]*\(?(?:x|ext|extn|extension|#)[\s.:=]*|\s*[,;]\s*)(\d{1,6})\)?)?$/i;

/**
 * The ten digits of a US phone number, however typed (`+1 (555) 010-4477 ext. 12` keeps its extension after an
 * `x`), or null if it is none. Accepts links (`tel:+15550104477;ext=12`), too.
 */
export function phoneDigits(typed: string): string | null {
  const match = phonePattern.exec(visibleAscii(typed));
  if (!match) return null;
  const [, area, exchange, line, extension] = match;
  return `${area}${exchange}${line}${extension ? `x${extension}` : ""}`;
}

/** Fewer digits are searched as text, because they occur in too many numbers. */
const minDigits = 3;

/**
 * The digits of a phone number or a part of one, typed into a search in any format, without the country's 1 and
 * without an extension. Null for text with a letter and for fewer than three digits.
 */
export function phoneSearchDigits(typed: string): string | null {
  const whole = phoneDigits(typed)?.slice(0, 10);
  if (whole) return whole;
  const text = visibleAscii(typed);
  if (/\p{L}/u.test(text)) return null;
  const digits = text.replace(/^(?:\+1|(?:00)?1[\s./-])/, "").replaceAll(/\D/g, "");
  const isWithCountry = digits.length === 11 && digits.startsWith("1");
  return digits.length < minDigits ? null : digits.slice(isWithCountry ? 1 : 0);
}

/** For people: `(555) 010-4477`, `(555) 010-4477 x12`. Anything but a US number is unchanged. */
export function formatPhone(phone: string): string {
  const digits = phoneDigits(phone);
  if (!digits) return phone;
  const [number = "", extension] = digits.split("x");
  const written = `(${number.slice(0, 3)}) ${number.slice(3, 6)}-${number.slice(6)}`;
  return extension ? `${written} x${extension}` : written;
}

/** `10013` or `10013-2413`, or null if it is not a zip. */
export function zipOf(typed: string): string | null {
  const match = /^(\d{5})[\s-]*(\d{4})?$/.exec(visibleAscii(typed));
  if (!match) return null;
  return match[2] ? `${match[1]}-${match[2]}` : (match[1] ?? null);
}

/**
 * The zip whose leading zeros a spreadsheet dropped: `02139` for `2139`, `02139-4307` for `21394307`. Null for
 * anything else.
 */
export function zipBeforeExcel(typed: string): string | null {
  const match = /^(\d{3,4})[\s-]*(\d{4})?$/.exec(visibleAscii(typed));
  return match && zipOf(`${match[1]?.padStart(5, "0")}${match[2] ?? ""}`);
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
