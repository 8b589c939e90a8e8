/** `1 check`, `1,200 checks` */
export const checkCount = (count: number): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "check" : "checks"}`;
