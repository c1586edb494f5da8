export type SettingValue = string | number | boolean | null | readonly string[];

/** The settings of a stage as a function receives them, each by its name, such as `workers.maxTasks`. */
export type StageSettings = {
  values: Readonly<Record<string, SettingValue>>;
  /** The defaults of the stage for the settings that differ from them. */
  defaults: Readonly<Record<string, SettingValue>>;
};
