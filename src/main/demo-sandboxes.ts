import { join } from "node:path";
import { addressesAt, type SandboxAddresses } from "#sandboxes/processors.ts";
import { startSandboxes } from "#sandboxes/start.ts";
import type { Config } from "#kit/ops/config.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

export interface DemoSandboxes {
  addresses: SandboxAddresses;
  /** Make the sandboxes send webhooks to the product, as the real processors do. */
  sendWebhooksTo: (networkId: number) => void;
  close: () => Promise<void>;
}

/**
 * Open the card processors' sandboxes for the demo, or find those of another of its processes. Throws a StartupProblem
 * if something else uses their port.
 */
export async function openDemoSandboxes(config: Config): Promise<DemoSandboxes> {
  const port = config.sandboxPort;
  try {
    const opened = await startSandboxes({
      port,
      stateFile: join(config.dataDir, "sandboxes.jsonl"),
    });
    return {
      addresses: opened.addresses,
      sendWebhooksTo: (networkId) => {
        for (const name of ["anet", "stripe"] as const)
          opened[name].sendWebhooksTo(`${config.publicUrl}/webhooks/${name}/${networkId}`);
      },
      close: () => opened.close(),
    };
  } catch (problem) {
    const origin = `http://127.0.0.1:${port}`;
    if (isPortTaken(problem) && (await areSandboxes(origin)))
      return {
        addresses: addressesAt(origin),
        sendWebhooksTo: () => undefined,
        close: async () => undefined,
      };
    if (!isPortTaken(problem)) throw problem;
    throw new StartupProblem(
      `Port ${port}, for the demo's card sandboxes, is in use. Set SANDBOX_PORT to another one.`,
    );
  }
}

function isPortTaken(problem: unknown): boolean {
  return problem instanceof Error && "code" in problem && problem.code === "EADDRINUSE";
}

async function areSandboxes(origin: string): Promise<boolean> {
  try {
    const answer = await fetch(`${origin}/_control`, { signal: AbortSignal.timeout(3000) });
    return answer.ok && JSON.stringify(await answer.json()).includes(origin);
  } catch {
    return false; // not a sandbox
  }
}
