import { sharedBrowser } from "/work/wt/settings/tests/support/chromium.ts";
const base = "http://localhost:4800";
const browser = await sharedBrowser();
const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(8000);
page.on("console", m => m.type()==="error" && console.log("console", m.text()));
page.on("pageerror", m => console.log("pageerror", m.message));
await page.goto("/sign-in");
await page.getByLabel("Email address").fill("admin@lakeside.test");
await page.getByLabel("Password").fill("demo-password-1");
await page.getByRole("button", { name: "Sign in" }).click();
await page.waitForURL(/admin/);
await page.goto("/admin/reports");
await page.getByLabel("Report type").click();
await page.getByRole("option", { name: "Subscription debits", exact: true }).click();


await page.screenshot({ path: "/tmp/settings-shots/reports-chosen.png", fullPage: true });
await page.getByRole("button", { name: "Create report" }).click();
await page.waitForTimeout(1500);
await page.screenshot({ path: "/tmp/settings-shots/reports-dialog.png" });
await page.setViewportSize({ width: 375, height: 900 });
await page.emulateMedia({ colorScheme: "dark" });
await page.waitForTimeout(800);
await page.screenshot({ path: "/tmp/settings-shots/reports-dialog-375.png" });
process.exit(0);
