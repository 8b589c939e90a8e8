import { expect, test } from "vitest";
import { joinedParts, splitFirstLast, splitLastFirst } from "#kit/imports/field-parts.ts";

test.each([
  ["Maya Okafor", "Maya", "Okafor"],
  ["Maya R. Okafor", "Maya R.", "Okafor"],
  ["Maria de la Cruz", "Maria", "de la Cruz"],
  ["Ludwig van der Berg", "Ludwig", "van der Berg"],
  ["José Núñez, Jr.", "José", "Núñez, Jr."],
  ["Thurston Howell III", "Thurston", "Howell III"],
  ["Van Morrison", "Van", "Morrison"],
  ["Cher", "", "Cher"],
])("the name %j begins with %j and ends with %j", (name, first, last) => {
  expect(splitFirstLast(name)).toEqual({ first, last });
});

test.each([
  ["Okafor, Maya", "Maya", "Okafor"],
  ["de la Cruz, Maria R.", "Maria R.", "de la Cruz"],
  ["Núñez, Jr., José", "José", "Núñez, Jr."],
  ["Núñez, José, Jr.", "José", "Núñez, Jr."],
  ["Okafor", "", "Okafor"],
])("of %j the first name is %j, the last name %j", (name, first, last) => {
  expect(splitLastFirst(name)).toEqual({ first, last });
});

test("a middle name, a suffix and the end of a zip are added to their fields", () => {
  const name = { first_name: "José", middle_name: "M.", last_name: "Núñez", suffix: "Jr." };
  expect(joinedParts({ ...name, address_zip: "02110", zip_plus_four: "123" })).toEqual({
    first_name: "José M.",
    last_name: "Núñez, Jr.",
    address_zip: "02110-0123",
  });
  expect(joinedParts({ address_zip: "02110-1234", zip_plus_four: "1234" })).toEqual({
    address_zip: "02110-1234",
  });
  expect(joinedParts({ zip_plus_four: "02110-1234" })).toEqual({ address_zip: "02110-1234" });
});

test("a middle name and a suffix that the name already has are not added twice", () => {
  const name = { first_name: "Maya R.", last_name: "Roe Jr" };
  expect(joinedParts({ ...name, middle_name: "R", suffix: "Jr." })).toEqual(name);
  const alike = { first_name: "Maya", last_name: "Major" };
  expect(joinedParts({ ...alike, middle_name: "Ya", suffix: "Jor" })).toEqual({
    first_name: "Maya Ya",
    last_name: "Major, Jor",
  });
});

test("a name with its own columns is not split", () => {
  expect(joinedParts({ name_last_first: "Okafor, Maya", first_name: "M." })).toEqual({
    first_name: "M.",
    last_name: "Okafor",
  });
});
