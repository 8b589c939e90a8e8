import { exactLine, IdText, line } from "#kit/contract/fields.ts";
import { recordLabels } from "#office/activity/shapes.ts";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import {
  days,
  defineList,
  type Filter,
  number,
  record,
  text,
  timeOf,
  word,
} from "#kit/list/define-list.ts";

/** A name from `/activity/people`, as it was recorded. */
const Who = exactLine(200).optional();
const who: Filter<typeof Who> = {
  schema: Who,
  field: { kind: "given", label: "Who", all: "Everyone" },
  words: (name) => `by ${name}`,
};

const kinds = [
  { value: "", label: "All" },
  ...Object.entries(recordLabels).map(([value, label]) => ({ value, label })),
];
const RecordType = line(50).optional();
const recordType: Filter<typeof RecordType> = {
  schema: RecordType,
  field: { kind: "choice", label: "Record", usual: "", options: () => kinds },
  inAddress: "type",
  words: (kind) => `of the kind ${(recordLabels[kind] ?? kind).toLowerCase()}`,
};

const RecordId = IdText.optional();
const recordId: Filter<typeof RecordId> = {
  schema: RecordId,
  inAddress: "record",
  goneWith: "record_type",
  words: (id) => `record ${id}`,
};

/** Every change by a person or a job, newest first. Source: domain rules §8. */
export const activity = defineList({
  name: "activity",
  title: "Activity",
  thing: "change",
  path: "/admin/activity",
  columns: {
    change_id: number("Change ID"),
    changed_at: timeOf("When", { sort: "time", sortsDown: true }),
    who: text("Who"),
    what: word("What"),
    record_kind: word("Record"),
    record_id: number("Record ID"),
    record_name: text("Name", { tooltip: "The record’s name when the report is made" }),
    ...attorneyColumns,
    attorney_name: text("Attorney"), // the call cannot sort by it
    changes: word("Changes", { tooltip: "Each field, before and after" }),
  },
  screen: {
    changed_at: "When",
    who: "Who",
    what: "What",
    record_name: "Record",
    changes: "Changes",
  },
  filters: {
    who,
    record_type: recordType,
    record_id: recordId,
    /** An attorney's record, enrolments, debits, payments and referrals. */
    attorney_id: {
      ...record("attorneys"),
      inAddress: "attorney",
      words: (id, name) => `about ${name ?? `attorney ${id}`}`,
    },
    ...days(),
  },
  report: {
    type: "activity",
    label: "Activity",
    description: "Who changed what and when, one row per change.",
    dates: "either",
    timeModes: {},
    byAttorney: false,
  },
});
