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

/** A name that `/activity/people` lists, as it was written then. */
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

/** Who changed what and when: every change by a person or a job, the newest first. Source: domain rules §8. */
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
    record_name: text("Name", { tooltip: "What the record is called when the report is made" }),
    ...attorneyColumns,
    attorney_name: text("Attorney"), // no order of the call
    changes: word("Changes", { tooltip: "Each field, as it was and as it became" }),
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
    /** Everything about an attorney: the record, enrolments, debits, payments and referrals. */
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
    description: "Who changed what and when, one row a change, in the words of the screen.",
    dates: "either",
    timeModes: {},
    byAttorney: false,
  },
});
