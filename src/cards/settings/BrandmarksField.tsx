import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { brandName } from "#cards/charge/Brandmarks.tsx";
import { Brandmark } from "#cards/shapes.ts";
import css from "./card-settings.module.css";

/** The brands that the network accepts, in display order. */
export function BrandmarksField({ label, value, onChange }: FieldProps<Brandmark[]>) {
  return (
    <fieldset>
      <legend className={css["legend"]}>{label}</legend>
      <div className={css["brands"]}>
        {Brandmark.options.map((brand) => (
          <CheckboxField
            key={brand}
            label={brandName(brand)}
            error={undefined}
            value={value.includes(brand)}
            onChange={(isShown) =>
              onChange(
                Brandmark.options.filter((each) =>
                  each === brand ? isShown : value.includes(each),
                ),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
