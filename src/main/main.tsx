import "#kit/web/parse-without-eval.tsx"; // before all that makes a schema
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "#kit/web/theme.css";
import "#kit/web/base.css";
import { App, prepareFirstScreen } from "./App.tsx";
import { applyColorScheme } from "#kit/web/color-scheme.tsx";
import { watchUserInput } from "#kit/web/last-input.tsx";
import { guardNavigation } from "#kit/web/navigation-guard.tsx";
import { removeFailedStylesheets } from "#kit/web/new-version.tsx";
import { announceOwner } from "#kit/web/page-owner.tsx";
import { reloadWhenRestored } from "#kit/web/page-cover.tsx";
import { applyRowHeight } from "#kit/web/row-height.tsx";

/** How long the page may stay blank while the first screen loads, before the frame is shown without it. */
const maxBlankMs = 1_000;

applyColorScheme();
applyRowHeight();
removeFailedStylesheets();
guardNavigation();
watchUserInput();
reloadWhenRestored();
announceOwner();
void start(); // not awaited: screens import this module's chunk, so awaiting them would deadlock

async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no #root.");
  await Promise.race([
    prepareFirstScreen(window.location.pathname),
    new Promise((resolve) => setTimeout(resolve, maxBlankMs)),
  ]);
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
