import { Link } from "react-router";
import { sendsMail } from "#kit/web/mail-delivery.tsx";

export const NewLink = () => (
  <Link to="/sign-in/link">{sendsMail() ? "Email me a new link" : "Make a new link"}</Link>
);
