import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Name, Note } from "#kit/contract/fields.ts";
import { OptionalEmail, Phone } from "#kit/contract/us-contact.ts";

/** A network's name and contact details on receipts and statements. Unknown texts are empty. */
export const Brand = z.object({
  name: z.string(),
  /** Line by line. */
  postalAddress: z.array(z.string()),
  phone: z.string(),
  email: z.string(),
  /** Width and height in pixels; null without a logo. */
  logo: z.object({ path: z.string(), width: z.number(), height: z.number() }).nullable(),
});
export type Brand = z.output<typeof Brand>;

export const showBrand = endpoint({
  method: "GET",
  path: "/legal_networks/brand",
  summary: "The network's name, address and logo on receipts, statements and emails",
  object: Brand,
});

const isAddress = (text: string) =>
  text.length <= 500 && text.split("\n").filter((line) => line.trim() !== "").length <= 6;

const BrandChange = z
  .strictObject({
    name: Name.optional(),
    postal_address: Note.refine(
      isAddress,
      "must have at most 6 lines and 500 characters",
    ).optional(),
    phone: Phone.optional(),
    email: OptionalEmail.optional(),
    remove_logo: z.literal(true, { error: "must be true or left out" }).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "The request must change something.",
    path: [],
  });
export type BrandChange = z.output<typeof BrandChange>;

export const changeBrand = endpoint({
  method: "PATCH",
  path: "/legal_networks/brand",
  summary:
    "Change the network's name, address or logo on receipts, statements and emails; absent fields stay",
  body: BrandChange,
  object: Brand,
});

/** The bytes of the picture. Its first bytes tell PNG from JPEG, not its name. */
export const changeLogo = endpoint({
  method: "POST",
  path: "/legal_networks/logo",
  summary: "Set the network's logo: a PNG or JPEG picture, up to 200 kB and 1,000 pixels per side",
  fileMediaType: "application/octet-stream",
  object: Brand,
});

export const showLogo = endpoint({
  method: "GET",
  path: "/legal_networks/logo",
  summary: "The network's logo, a picture",
  object: z.string(),
});
