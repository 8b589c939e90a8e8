import "./parse-without-eval.tsx"; // before all that makes a schema
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./theme.css";
import "./base.css";
import { App, prepareFirstScreen } from "./App.tsx";
import { applyColorScheme } from "./color-scheme.tsx";
import { watchForInput } from "./last-input.tsx";
import { guardNavigation } from "./navigation-guard.tsx";
import { removeFailedStylesheets } from "./new-version.tsx";
import { announceOwner } from "./page-owner.tsx";
import { loadAnewWhenShownAgain } from "./page-veil.tsx";
import { applyRowHeight } from "./row-height.tsx";

/** How long the page may stay blank while the first screen loads; then the frame is shown without it. */
const maxBlankMs = 1_000;

applyColorScheme();
applyRowHeight();
removeFailedStylesheets();
guardNavigation();
watchForInput();
loadAnewWhenShownAgain();
announceOwner();
void start(); // not awaited: screens import from this module's chunk, which would wait for them

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
