import { number, text } from "#kit/list/define-list.ts";

/** The columns that identify an attorney, of every list and report that has one. */
export const attorneyColumns = {
  attorney_id: number("Attorney ID"),
  attorney_name: text("Attorney", { sort: "attorney" }),
  attorney_email: text("Attorney email"),
  bar_number: text("Bar number", { tooltip: "As it stands on the panel today" }),
};
