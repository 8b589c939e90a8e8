import { number, text } from "#kit/list/define-list.ts";

/** The columns that identify an attorney in every list and report. */
export const attorneyColumns = {
  attorney_id: number("Attorney ID"),
  attorney_name: text("Attorney", { sort: "attorney" }),
  attorney_email: text("Attorney email"),
  bar_number: text("Bar number", { tooltip: "The attorney's current bar number" }),
};
