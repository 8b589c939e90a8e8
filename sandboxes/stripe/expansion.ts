import { listAt } from "../tree.ts";
import type { Asked } from "./asked.ts";
import type { Books } from "./books.ts";
import { badParameter } from "./refusals.ts";

/** Put whole objects where `expand` asks for them in place of their ids. */
export function expanded(books: Books, answer: object, asked: Asked): object {
  return listAt(asked.params, "expand")
    .map(String)
    .reduce((result, path) => {
      const name = path.replace(/^data\./, "");
      if (path === name) return withWhole(books, result, name);
      const { data }: { data?: object[] } = result;
      return { ...result, data: (data ?? []).map((each) => withWhole(books, each, name)) };
    }, answer);
}

function withWhole(books: Books, object: object, name: string): object {
  const find: Record<string, (id: string) => object | undefined> = {
    latest_charge: (id) => books.charges.get(id)?.object,
    charge: (id) => books.charges.get(id)?.object,
    payment_intent: (id) => books.intents.get(id)?.object,
    payment_method: (id) => books.paymentMethods.get(id)?.object,
  };
  const whole = find[name];
  const entry = Object.entries(object).find(([key]) => key === name);
  if (!whole || !entry) {
    throw badParameter(
      "expand",
      "parameter_invalid",
      `This property cannot be expanded (${name}).`,
    );
  }
  const [, id]: [string, unknown] = entry;
  return typeof id === "string" ? { ...object, [name]: whole(id) ?? id } : object;
}
