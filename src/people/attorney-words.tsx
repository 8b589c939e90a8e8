/** "1 attorney", "1,234 attorneys". */
export function attorneysWords(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "attorney" : "attorneys"}`;
}

/** " Left out: 2 who were reminded today, 1 who has left." Empty if all counts are zero. */
export function leftOutWords(counts: [count: number, one: string, more?: string][]): string {
  const parts = counts
    .filter(([count]) => count > 0)
    .map(
      ([count, one, more = one]) => `${count.toLocaleString("en-US")} ${count === 1 ? one : more}`,
    );
  return parts.length === 0 ? "" : ` Left out: ${parts.join(", ")}.`;
}
