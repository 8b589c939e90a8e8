import { pickRandom, type Random, randomInteger } from "#main/demo/random.ts";

/** A made-up person. Phone numbers are from the range reserved for fiction. */
export interface Person {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  addressLine1: string;
  addressLine2: string;
  addressCity: string;
  addressRegion: string;
  addressZip: string;
}

/** Splits a list at its commas. */
export function splitList(names: string): [string, ...string[]] {
  const [first = "", ...others] = names.split(",").map((name) => name.trim());
  return [first, ...others];
}

const firstNames = splitList(`
  Aaliyah, Adrian, Aisha, Alejandro, Amara, André, Anika, Arthur, Beatriz, Benjamin, Camille,
  Carlos, Chloë, Daniel, Deborah, Dmitri, Elena, Elijah, Emeka, Esther, Fatima, Felix, Gabriela,
  George, Grace, Hannah, Hassan, Helen, Ibrahim, Ingrid, Isabel, Jamal, Janet, Joaquín, Joseph,
  Julia, Karim, Katherine, Kenji, Laura, Leila, Lucas, Magnus, Margaret, Mei, Miriam, Naomi,
  Nikhil, Noah, Olga, Omar, Patrick, Paula, Priya, Rachel, Raúl, Rosa, Samuel, Siobhán, Sofia,
  Tariq, Teresa, Thomas, Valentina, Victor, Wei, William, Yusuf, Zoë`);

const lastNames = splitList(`
  Abbott, Adeyemi, Alvarez, Andersen, Bailey, Bergström, Bianchi, Brennan, Calloway, Castillo,
  Chen, Cohen, D'Angelo, Delgado, Desai, Donnelly, Dubois, Eriksen, Farrell, Feldman, Fitzgerald,
  García, Goldstein, Grant, Haddad, Hamilton, Hernández, Hoffman, Ibarra, Iyer, Jackson, Jensen,
  Kaplan, Kim, Kowalski, Laurent, Lindgren, Lombardi, MacLeod, Martinez, Mbeki, Mendoza, Moreau,
  Nakamura, Nguyen, Novak, Núñez, O'Brien, O'Sullivan, Okafor, Olsen, Park, Patel, Pereira,
  Petrov, Quinn, Ramírez, Reyes, Rosenthal, Rossi, Saito, Schneider, Shapiro, Silva, Singh,
  Sørensen, Sullivan, Takahashi, Thompson, Torres, Vasquez, Villanueva, Washington, Weiss,
  Whitaker, Wójcik, Yamamoto, Young, Zhang, Zimmerman`);

const streets = splitList(`
  Anchor Street, Bay Avenue, Beacon Street, Bridge Street, Broad Street, Center Street,
  Chestnut Street, Church Street, Court Square, Dock Street, Elm Street, Front Street,
  Harbor Boulevard, High Street, Liberty Street, Main Street, Maple Avenue, Market Street,
  Mill Road, Ocean Avenue, Park Place, Pearl Street, State Street, Water Street`);

/** A town, for addresses and phone numbers. */
export interface Town {
  city: string;
  region: string;
  zip: string;
  areaCode: string;
}

/** Made-up places, with unused ZIP codes. */
export const towns: readonly [Town, ...Town[]] = [
  { city: "Port Harbor", region: "NY", zip: "11999", areaCode: "631" },
  { city: "Eastbridge", region: "NY", zip: "11998", areaCode: "631" },
  { city: "Millbrook Landing", region: "NY", zip: "11997", areaCode: "631" },
  { city: "Greyfield", region: "NY", zip: "11996", areaCode: "631" },
  { city: "Saltmarsh", region: "NY", zip: "11995", areaCode: "631" },
];

/** A unique person: `number` makes the email address and phone number unique. */
export function makePerson(
  random: Random,
  number: number,
  towns: readonly [Town, ...Town[]],
): Person {
  const firstName = pickRandom(random, firstNames);
  const lastName = pickRandom(random, lastNames);
  const town = pickRandom(random, towns);
  const hasSuite = random() < 0.5;
  return {
    firstName,
    lastName,
    email: `${emailName(firstName, lastName)}.${number}@example.test`,
    phone: `(${town.areaCode}) 555-01${String(number % 100).padStart(2, "0")}`,
    addressLine1: `${randomInteger(random, 1, 990)} ${pickRandom(random, streets)}`,
    addressLine2: hasSuite ? `Suite ${randomInteger(random, 1, 40) * 10}` : "",
    addressCity: town.city,
    addressRegion: town.region,
    addressZip: town.zip,
  };
}

/** The same with a bar number. */
export const makeLawyer = (...[random, number, towns]: Parameters<typeof makePerson>) => ({
  ...makePerson(random, number, towns),
  barNumber: String(5_000_000 + number),
});

/** The part of an email address before the @. */
export function emailName(firstName: string, lastName: string): string {
  return `${asciiLetters(firstName)}.${asciiLetters(lastName)}`;
}

/** A name for email addresses: "Núñez" becomes "nunez". */
function asciiLetters(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("ø", "o")
    .replace(/[^a-z]/g, "");
}
