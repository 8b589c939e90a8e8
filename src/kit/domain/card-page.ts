/**
 * Whether the page at a path shows the card form. Its document alone may load from the card processor's
 * hosts, so the way into it and out of it is a load of the document.
 */
export const showsCardForm = (path: string): boolean => /^\/dashboard\/*$/.test(path);
