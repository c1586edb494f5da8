/** The submit handler of a form whose data is sent by script. */
export const onSubmit = (run: () => unknown) => (event: Event) => {
  event.preventDefault();
  run();
};
