import { Temporal } from "temporal-polyfill";

/** Today in the default time zone of test networks; UTC is a day ahead in the evening. */
export const todayInNewYork = () => Temporal.Now.plainDateISO("America/New_York").toString();
