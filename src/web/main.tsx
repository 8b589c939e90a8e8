import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./theme.css";
import "./base.css";
import { App } from "./App.tsx";
import { applyColorScheme } from "./color-scheme.tsx";
import { guardLeaving } from "./leaving.tsx";
import { forgetFailedStyles } from "./new-version.tsx";

applyColorScheme();
forgetFailedStyles();
guardLeaving();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
