import type { Town } from "#features/demo/people.ts";

/** Places that are made up, with ZIP codes that are not in use. */
export const towns: readonly [Town, ...Town[]] = [
  { city: "Port Harbor", region: "NY", zip: "11999", areaCode: "631" },
  { city: "Eastbridge", region: "NY", zip: "11998", areaCode: "631" },
  { city: "Millbrook Landing", region: "NY", zip: "11997", areaCode: "631" },
  { city: "Greyfield", region: "NY", zip: "11996", areaCode: "631" },
  { city: "Saltmarsh", region: "NY", zip: "11995", areaCode: "631" },
];
