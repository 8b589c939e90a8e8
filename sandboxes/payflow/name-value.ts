export type Fields = Record<string, string>;

/**
 * Read `NAME=value&NAME[5]=a&b=c`. Values are not URL-encoded: one with `&` or `=` gives its length in
 * characters. Returns names in capitals, or null if the text cannot be read.
 */
export function readNameValue(body: string): Fields | null {
  const fields: Fields = {};
  let rest = body.trim();
  while (rest !== "") {
    const [whole, name = "", length] = /^([A-Za-z0-9_]+)(?:\[(\d+)\])?=/.exec(rest) ?? [];
    if (whole === undefined) return null;
    const from = whole.length;
    const amp = rest.indexOf("&", from);
    const to = length === undefined ? (amp < 0 ? rest.length : amp) : from + Number(length);
    if (to > rest.length || (to < rest.length && rest[to] !== "&")) return null;
    fields[name.toUpperCase()] = rest.slice(from, to);
    rest = rest.slice(to + 1);
  }
  return fields;
}

/** Values with `&` or `=`, such as secure tokens, get a length. */
export function writeNameValue(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) =>
      /[&=]/.test(value) ? `${name}[${value.length}]=${value}` : `${name}=${value}`,
    )
    .join("&");
}
