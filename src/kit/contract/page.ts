import { z } from "zod";

const countParameter = (min: number, max: number, fallback: number) => {
  const bounds = `must be a whole number from ${min} to ${max.toLocaleString("en-US")}`;
  return z
    .codec(z.string().regex(/^\d{1,7}$/, bounds), z.number().min(min, bounds).max(max, bounds), {
      decode: Number,
      encode: String,
    })
    .default(fallback);
};

/** The query of a list: `page` counts from 1. */
export const PageQuery = z.object({
  page: countParameter(1, 1_000_000, 1),
  per_page: countParameter(1, 200, 50),
});
export type PageQuery = z.output<typeof PageQuery>;

/** One page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    total: z.number().int(),
    page: z.number().int(),
    perPage: z.number().int(),
  });

export interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  perPage: number;
}
