import { useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useCallback, useId, useState } from "react";
import { fieldLabel, withArticle } from "#kit/contract/validation-messages.ts";
import { CallFailure, fieldErrorsOf } from "#kit/web/call-failure.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { changesNothing } from "#kit/web/queries.tsx";
import { confirmDiscard, type UnsavedScope } from "#kit/web/unsaved-changes.tsx";
import type { FieldProps } from "./Field.tsx";

interface FormOptions<Typed extends object, Answer> {
  /** The initial values of the fields, by their names in the request. */
  start: Typed;
  /** The labels of the fields, for errors that should name them as the screen does. */
  labels?: Partial<Record<keyof Typed & string, string>>;
  /**
   * Sends what was typed. `saved` is what the fields held at first or after the last save, for `changedFields`.
   * Throws a CallFailure; `requestBody` and `call` do.
   */
  send: (typed: Typed, saved: Typed) => Promise<Answer>;
  /**
   * The fields from an answer, for a form that stays open after a save. It continues from there, and shows what
   * others have changed.
   */
  valuesOf?: (answer: Answer) => Typed;
  onDone?: (answer: Answer) => void;
  /** The request's name for what holds the fields, if they are nested. */
  within?: string;
  /** Fields that hold a map whose entries have their own controls, with the id `idOf("shares.17")`. */
  maps?: readonly (keyof Typed & string)[];
  /** `send` only checks the input: leaving still asks. */
  savesNothing?: boolean;
}

/** What a form is sent with. */
interface Attempt<Typed, Answer> {
  unreadable: CallFailure | null;
  sent: Typed;
  done: ((answer: Answer) => void) | undefined;
}

/** What is wrong with a field. Its path continues if the field holds a map or a list. */
interface NamedError {
  name: string;
  path: string;
  message: string;
}

/** A problem of a form; `fieldId` is the id of its field, if it is one of the form's. */
export interface Problem {
  message: string;
  fieldId: string | undefined;
}

/**
 * The one way to do forms. Fields hold what is typed. Submit checks everything, first in the
 * browser by the contract, then on the server; both name fields as the request does. Input
 * stays after a failure, and leaving asks first while it is not saved.
 *
 *     const form = useForm({
 *       start: { name: "", payment_amount: "" },
 *       labels: { payment_amount: "Amount owed in dollars" },
 *       send: (typed) => call(createPlan, { body: requestBody(createPlan, {
 *         ...typed, payment_amount: cleanAmount(typed.payment_amount) }) }),
 *       onDone: () => form.reset(),
 *     });
 *     <Form form={form}>
 *       <TextField label="Name" {...form.field("name")} />
 *       <AmountField label="Amount owed in dollars" {...form.field("payment_amount")} />
 *       <SubmitButton pending={form.pending}>Create new subscription</SubmitButton>
 *     </Form>
 */
export function useForm<Typed extends object, Answer>(options: FormOptions<Typed, Answer>) {
  const { start, labels, send, valuesOf, onDone, maps = [], savesNothing = false } = options;
  const prefix = options.within === undefined ? "" : `${options.within}.`;
  const formId = useId();
  const [typed, setTyped] = useState(start);
  const [saved, setSaved] = useState(start); // initially the start values
  const [scope] = useState<UnsavedScope>({ kind: "form" });
  const [round, setRound] = useState(0);
  const sending = useMutation({
    mutationFn: async ({ unreadable, sent }: Attempt<Typed, Answer>) => {
      if (unreadable) throw unreadable;
      const answer = await send(sent, saved);
      // Saved from here on: leaving loses nothing, even before the page shows it.
      const stored = valuesOf?.(answer) ?? sent;
      if (!savesNothing) setSaved(stored);
      if (valuesOf) setTyped((now) => ({ ...stored, ...changedFields(sent, now) })); // keep what was typed since
      return answer;
    },
    // The handler given when the form was sent: by now the page may show the changed records.
    onSuccess: (answer, { done }) => done?.(answer),
    ...(savesNothing && changesNothing),
  });
  const set = useCallback(
    (changes: Partial<Typed> | ((before: Typed) => Partial<Typed>)) =>
      setTyped((before) => ({
        ...before,
        ...(typeof changes === "function" ? changes(before) : changes),
      })),
    [],
  );
  const idOf = (name: string) => `${formId}-${name}`;
  const errors = fieldErrorsOf(sending.error).map(({ path: whole, message }) => {
    const path = whole.startsWith(prefix) ? whole.slice(prefix.length) : whole;
    const name = path.split(".")[0] ?? path;
    return { name, path, message: worded(message, prefix + name, labelOf(labels, name)) };
  });

  return {
    typed,
    pending: sending.isPending,
    /** Change fields other than by their control. The same function while the form is shown. */
    set,
    /** All a field needs except its label. */
    field: <Name extends keyof Typed & string>(
      name: Name,
    ): Omit<FieldProps<Typed[Name]>, "label"> & { id: string } => ({
      id: idOf(name),
      name,
      value: typed[name],
      onChange: (value) => setTyped((before) => ({ ...before, [name]: value })),
      error: errors.find((error) => error.name === name)?.message,
    }),
    /** The id of a map's entry, and the error of the entry, or of the map if the path names it. */
    idOf,
    errorAt: (path: string) => errors.find((error) => error.path === path)?.message,
    /** Leave the form by a button such as Cancel. Asks first if something would be lost. */
    leave: (proceed: () => void) => confirmDiscard(proceed, scope),
    /** Reset to the start values. */
    reset: () => {
      setTyped(start);
      setSaved(start);
      setRound(round + 1);
      sending.reset();
    },
    /** For `Form`, like everything below. */
    round,
    scope,
    isUnsaved: !isSame(typed, saved),
    problems: problemsOf(sending.error, errors, ({ name, path }) => {
      if (!(name in typed)) return undefined;
      return idOf(maps.some((map) => map === name) ? path : name);
    }),
    attempt: sending.submittedAt,
    handleSubmit: (event: SyntheticEvent<HTMLFormElement>) => {
      event.preventDefault();
      event.stopPropagation(); // a dialog's form must not submit the form around the dialog
      if (!sending.isPending)
        sending.mutate({
          unreadable: unreadableIn(event.currentTarget),
          sent: typed,
          done: onDone,
        });
    },
  };
}

/** Fields hold text, choices, and lists of them: JSON values. */
function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function problemsOf(
  error: Error | null,
  errors: readonly NamedError[],
  fieldIdOf: (error: NamedError) => string | undefined,
): Problem[] {
  if (!error) return [];
  if (errors.length === 0) return [{ message: error.message, fieldId: undefined }];
  return errors.map((each) => ({ message: each.message, fieldId: fieldIdOf(each) }));
}

/** Fields with text that they cannot read, such as an invalid date, hold the error themselves. */
function unreadableIn(form: HTMLFormElement): CallFailure | null {
  const inputs = [...form.elements].filter((element) => element instanceof HTMLInputElement);
  const errors = inputs
    .filter((input) => input.validity.customError)
    .map((input) => ({ path: input.name, message: input.validationMessage }));
  return errors[0] ? new CallFailure("not sent", errors[0].message, errors) : null;
}

function labelOf(labels: Record<string, string | undefined> | undefined, name: string) {
  return labels?.[name]?.replace(/[:?]$/, "");
}

/** The contract's sentences name the field as the request does. Use the screen's label instead. */
function worded(message: string, name: string, label: string | undefined): string {
  const named = fieldLabel(name);
  if (!label) return message;
  if (message.startsWith(`${named} `)) return label + message.slice(named.length);
  const asked = `Enter ${withArticle(named)}`;
  const rest = message.slice(asked.length);
  return message.startsWith(asked) && /^([.,:]| in dollars)/.test(rest)
    ? `Enter ${withArticle(label)}${label.endsWith("in dollars") ? rest.replace(/^ in dollars/, "") : rest}`
    : message;
}
