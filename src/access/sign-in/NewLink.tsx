import { Link } from "react-router";
import { sendsMail } from "#kit/web/mail-delivery.tsx";

export const NewLink = () => (
  <Link to="/sign-in/link">
    {sendsMail() ? "Have a new link mailed to you" : "Have a new link made"}
  </Link>
);
