import { Component, type ErrorInfo, type ReactNode } from "react";
import { PlainShell } from "./Shell.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

/** Shows a plain page when a screen breaks. Everything saved before is safe on the server. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack);
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <PlainShell>
        <h1>This page stopped working</h1>
        <p>Everything you saved is safe. Reload the page to continue.</p>
        <div>
          <Button kind="primary" pending={false} onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        </div>
      </PlainShell>
    );
  }
}
