/**
 * Whether the page at a path shows the card form. Only its document may load from the card processor's hosts, so
 * entering and leaving it reloads the document.
 */
export const showsCardForm = (path: string): boolean => /^\/dashboard\/*$/.test(path);
