// A dashboard as its JSON may be: Grafana's schema, with the options of each kind of panel that is used here, and nothing beside it.
import type { DataQuery, Dashboard, FieldConfigSource, Panel, RowPanel } from "@grafana/schema";
import type * as stat from "@grafana/schema/dist/types/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen.d.ts";
import type * as table from "@grafana/schema/dist/types/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen.d.ts";
import type * as timeseries from "@grafana/schema/dist/types/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.d.ts";

// JSON has no enums: each is the set of its values. An unnamed record stays one.
type Plain<T> = T extends string
  ? `${T}`
  : T extends number
    ? `${T}` extends `${infer N extends number}`
      ? N
      : T
    : T extends (infer E)[]
      ? Plain<E>[]
      : T extends object
        ? { [K in keyof T]: Plain<T[K]> }
        : T;

// What the Prometheus data source reads of a query; its types are not part of the schema's package.
interface Target extends DataQuery {
  expr: string;
  legendFormat?: string;
  range?: boolean;
  instant?: boolean;
  format?: "table";
}

type Of<Kind extends string, Options, Custom> = Omit<Panel, "type" | "options" | "fieldConfig" | "targets"> & {
  type: Kind;
  title: string;
  description: string;
  options?: Partial<Options>;
  fieldConfig: Omit<FieldConfigSource, "defaults"> & {
    defaults: Omit<FieldConfigSource["defaults"], "custom"> & { custom?: Partial<Custom> };
  };
  targets: Target[];
};

type Drawn =
  | Of<"stat", stat.Options, Record<string, never>>
  | Of<"table", table.Options, table.FieldConfig>
  | Of<"timeseries", timeseries.Options, timeseries.FieldConfig>;

export type Board = Plain<Omit<Dashboard, "panels"> & { panels: (Drawn | RowPanel)[] }>;
