import { Temporal } from "temporal-polyfill";

/** The day that it is where made networks are, unless they say otherwise; UTC's is another one in the evening. */
export const todayInNewYork = () => Temporal.Now.plainDateISO("America/New_York").toString();
