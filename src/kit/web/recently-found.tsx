import { z } from "zod";

const key = "recently-found";
const most = 8;

/** A page that the user searched for and opened. */
const Opened = z.object({ title: z.string(), detail: z.string(), path: z.string() });
export type Opened = z.output<typeof Opened>;

const Kept = z.object({ userId: z.number(), opened: z.array(Opened) });

/** What a user has searched for and opened in this tab, latest first. No one else sees it. */
export function recentlyFound(userId: number): Opened[] {
  try {
    const kept = Kept.parse(JSON.parse(sessionStorage.getItem(key) ?? ""));
    return kept.userId === userId ? kept.opened : [];
  } catch {
    return []; // nothing yet
  }
}

export function rememberFound(userId: number, { title, detail, path }: Opened): void {
  const others = recentlyFound(userId).filter((one) => one.path !== path);
  const opened = [{ title, detail, path }, ...others].slice(0, most);
  sessionStorage.setItem(key, JSON.stringify({ userId, opened }));
}

/** Called at sign-out, so that clients' names do not stay in the browser. */
export const forgetFound = (): void => sessionStorage.removeItem(key);
