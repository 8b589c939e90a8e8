import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./theme.css";
import "./base.css";
import { App, prepareFirstScreen } from "./App.tsx";
import { applyColorScheme } from "./color-scheme.tsx";
import { guardLeaving } from "./navigation-guard.tsx";
import { forgetFailedStyles } from "./new-version.tsx";

/** An empty page is better than one drawn twice, for so long: then its frame is shown without its screen. */
const emptyForMs = 1_000;

applyColorScheme();
forgetFailedStyles();
guardLeaving();
void begin(); // not awaited here: what screens import would be waiting for a screen

async function begin(): Promise<void> {
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no #root.");
  await Promise.race([
    prepareFirstScreen(window.location.pathname),
    new Promise((resolve) => setTimeout(resolve, emptyForMs)),
  ]);
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
