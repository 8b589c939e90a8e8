const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/** The modifier key for shortcuts, as people read it. */
export const commandKey = isMac ? "⌘" : "Ctrl";

/** Whether it is pressed. On a Mac, Ctrl with a letter belongs to the text being edited. */
export const isCommand = (event: KeyboardEvent): boolean =>
  isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;

/** Whether keys belong to a field or to an open dialog. */
export function isTyping(): boolean {
  const focused = document.activeElement;
  return (
    focused instanceof HTMLElement &&
    (focused.matches("input, textarea, select, [contenteditable]") || isDialogOpen())
  );
}

export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/** Where a single letter leads after `g`. */
export const goKeys: Record<string, { to: string; label: string }> = {
  t: { to: "/", label: "Go to your start page" },
  a: { to: "/admin/attorneys", label: "Go to Attorneys" },
  r: { to: "/admin/matters", label: "Go to Referrals" },
  c: { to: "/admin/checks", label: "Go to Checks" },
};

const key = "single-keys";

/** Whether single keys are shortcuts: yes, unless this browser's user has turned them off. */
export const usesSingleKeys = (): boolean => localStorage.getItem(key) !== "off";

export const switchSingleKeys = (isOn: boolean): void =>
  localStorage.setItem(key, isOn ? "on" : "off");
