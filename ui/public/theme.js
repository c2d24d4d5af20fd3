// Sets theme and contrast before the first paint. A module would run after it and the window would flash.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const more = matchMedia("(prefers-contrast: more)");

  function apply() {
    const theme = localStorage.getItem("appearance.theme");
    const contrast = localStorage.getItem("appearance.contrast");
    const { dataset } = document.documentElement;

    dataset.theme = theme === "light" || theme === "dark" ? theme : dark.matches ? "dark" : "light";
    dataset.contrast = contrast === "more" || contrast === "standard" ? contrast : more.matches ? "more" : "standard";
  }

  // The overlay is told so where windows cannot be transparent.
  document.documentElement.classList.toggle("is-opaque", new URLSearchParams(location.search).has("opaque"));
  dark.addEventListener("change", apply);
  more.addEventListener("change", apply);
  addEventListener("appearance", apply);
  apply();
})();
