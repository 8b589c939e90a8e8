import { expect } from "vitest";
import { confirmPassword } from "#access/sign-in/contract.ts";
import { createPlan } from "#dues/plans/contract.ts";
import { showAttorney } from "#people/contract.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { aVisitor } from "#tests/support/visitor.ts";

const written: string[] = [];
const test = appTest({
  logLevel: "info",
  logTo: { write: (line: string) => void written.push(line) },
  network: {},
  attorney: {},
  lawyer: true,
});

test("refusals are logged with the caller and the call", async () => {
  const path = createPlan.path;
  await aVisitor(app).ask(createPlan);
  await lawyer.ask(createPlan);
  await admin.sendRaw({ method: "POST", url: path, payload: "{}" });
  await admin.ask(createPlan, { body: { name: "" } });
  await admin.ask(showAttorney, { params: { id: attorney.id + 1_000_000 } });
  await admin.ask(confirmPassword, { body: { password: "not the password" } });
  const told = () =>
    written
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter(({ msg }) => msg === "answered");
  await expect.poll(() => told().length).toBeGreaterThanOrEqual(6);
  const { userId } = network.admin;
  const ofAdmin = { user: userId, network: network.id };
  expect(told()).toMatchObject([
    { method: "POST", route: path, status: 401 },
    { method: "POST", route: path, status: 403, network: network.id },
    { method: "POST", route: path, status: 403, ...ofAdmin },
    { method: "POST", route: path, status: 422, ...ofAdmin },
    { method: "GET", status: 404, ...ofAdmin },
    { method: "POST", route: confirmPassword.path, status: 422, ...ofAdmin },
  ]);
  for (const { time, reqId } of told()) {
    expect(String(time)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(reqId).toEqual(expect.any(String));
  }
});
