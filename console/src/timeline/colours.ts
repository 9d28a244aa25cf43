/** Colours of the style sheet for what is drawn on a canvas, and word when they change. */

export type Colours<Name extends string> = Record<Name, string>;

/** The values of custom properties at an element. */
export function coloursAt<Name extends string>(
  element: Element,
  properties: Record<Name, string>,
): Colours<Name> {
  const style = getComputedStyle(element);
  const found = {} as Colours<Name>;
  for (const name in properties) found[name] = style.getPropertyValue(properties[name]).trim();
  return found;
}

/** Calls back when the theme changes, by the switch or by the system; returns how to stop. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
