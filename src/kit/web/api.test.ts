import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Dollars, IdText, Money, Name } from "#kit/contract/fields.ts";
import { cents } from "#kit/domain/money.ts";
import { requestBody, call, callForAnswer } from "#kit/web/api.tsx";

const showDues = endpoint({
  method: "GET",
  path: "/attorneys/:id/dues",
  summary: "",
  params: z.object({ id: IdText }),
  query: z.object({ search: z.string(), page: z.number().optional() }),
  object: z.object({ balance: Money }),
});
const createDues = endpoint({
  method: "POST",
  path: "/dues/",
  summary: "",
  body: z.strictObject({ name: Name, payment_amount: Dollars }),
  object: z.object({ balance: Money }),
});
const dues = { name: "Panel dues", payment_amount: cents(125050) };
const balance = { balance: "1250.50" };

const fetched = vi.fn<typeof fetch>();
const assign = vi.fn<(address: string) => void>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("document", {
    querySelector: (selector: string) => ({
      content: selector.includes("page-owner") ? "7" : "the-token",
    }),
  });
  vi.stubGlobal("window", { location: { pathname: "/admin", search: "", assign } });
});
afterEach(() => {
  vi.resetAllMocks();
  vi.unstubAllGlobals();
});

function answers(status: number, json: unknown): void {
  fetched.mockResolvedValue(new Response(JSON.stringify(json), { status }));
}

test("a call puts ids and the query into the address, names the page's owner, and reads dollars as cents", async () => {
  answers(200, { success: true, object: balance, message: null });
  const answer = await call(showDues, { params: { id: 7 }, query: { search: "a & b" } });
  expect(answer).toEqual({ balance: 125050 });
  const [address, request] = fetched.mock.calls[0] ?? [];
  expect(address).toBe("/attorneys/7/dues?search=a+%26+b");
  expect(request).toEqual({
    method: "GET",
    headers: { accept: "application/json", "x-page-owner": "7" },
  });
});

test("a call that changes something sends the page's token, and dollars", async () => {
  answers(200, { success: true, object: balance, message: "Done." });
  expect(await callForAnswer(createDues, { body: dues })).toEqual({
    object: { balance: 125050 },
    message: "Done.",
  });
  const [, request] = fetched.mock.calls[0] ?? [];
  expect(request?.headers).toMatchObject({ "x-csrf-token": "the-token" });
  expect(request?.body).toBe('{"name":"Panel dues","payment_amount":"1250.50"}');
});

test("a refusal says what the server said, field by field", async () => {
  const errors = [{ path: "name", message: "Enter a name." }];
  answers(422, { success: false, object: null, message: "Enter a name.", errors });
  await expect(call(createDues, { body: dues })).rejects.toMatchObject({
    status: 422,
    message: "Enter a name.",
    errors,
  });
});

test("an answer that is not ours is reported", async () => {
  fetched.mockResolvedValue(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await expect(call(createDues, { body: dues })).rejects.toThrow(
    "The server did not answer as expected (502). Please try again.",
  );
  answers(200, { success: true, object: { balance: "a lot" }, message: null });
  await expect(call(createDues, { body: dues })).rejects.toThrow("could not be read");
});

test("a call without an answer says so", async () => {
  fetched.mockRejectedValue(new TypeError("Failed to fetch"));
  await expect(call(createDues, { body: dues })).rejects.toMatchObject({
    status: "no answer",
    message: "The server could not be reached. Check your connection and try again.",
  });
});

test("a call after the session ended leads to the sign-in page", async () => {
  answers(401, { success: false, object: null, message: "Sign in first." });
  const calling = call(createDues, { body: dues });
  await expect(calling).rejects.toMatchObject({ status: "session ended" });
  expect(assign).toHaveBeenCalledWith("/sign-in?next=%2Fadmin");
});

test("the two calls without an envelope answer with their own message", async () => {
  const order = endpoint({
    method: "POST",
    path: "/data_export.json",
    summary: "",
    object: z.object({ success: z.boolean(), message: z.string() }),
  });
  answers(200, { success: true, message: "The report is being prepared." });
  expect((await callForAnswer(order)).message).toBe("The report is being prepared.");
});

test("typed input becomes a request, or a sentence for each invalid field", () => {
  const typed = { name: "  Panel dues ", payment_amount: "1250.5" };
  expect(requestBody(createDues, typed)).toEqual(dues);
  expect(() => requestBody(createDues, { name: " ", payment_amount: "12.345" })).toThrow(
    expect.objectContaining({
      status: "not sent",
      errors: [
        { path: "name", message: "Enter a name." },
        {
          path: "payment_amount",
          message: expect.stringContaining("Payment amount must be an amount in dollars"),
        },
      ],
    }),
  );
  expect(fetched).not.toHaveBeenCalled();
});
