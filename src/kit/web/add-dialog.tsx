import { useState } from "react";
import { useSearchParams } from "react-router";

/**
 * Whether a list's add dialog is open: by its button, or by `?add` in the address, which closing the dialog
 * removes.
 */
export function useAddDialog(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [address, setAddress] = useSearchParams();
  const [isOpened, setOpened] = useState(false);
  const isInAddress = address.has("add");
  const setOpen = (isOpen: boolean) => {
    setOpened(isOpen);
    if (isOpen || !isInAddress) return;
    const next = new URLSearchParams(address);
    next.delete("add");
    setAddress(next, { replace: true });
  };
  return [isOpened || isInAddress, setOpen];
}
