import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { theme } from '../layout/theme.ts';
import { formatDate, formatDay } from '../messages/format.ts';
import { language, text } from '../messages/messages.ts';
import { chartData, chartOptions, decimalSteps } from './chart-options.ts';
import type { DayValue } from './usage-sums.ts';

type BarChartProps = {
  /** what the chart shows, with its numbers in words */
  label: string;
  days: readonly DayValue[];
  format(value: number): string;
  valueSteps?: number[];
};

/** Bars of one value per day. The library is loaded when the first chart is shown. */
export function BarChart({ label, days, format, valueSteps = decimalSteps }: BarChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number>();
  const [hasFailed, setHasFailed] = useState(false);
  const scheme = useColorScheme();
  const shown = hovered === undefined ? undefined : days[hovered];

  useEffect(() => {
    const element = host.current!;
    let chart: uPlot | undefined;
    let isOver = false;
    const resize = new ResizeObserver(() => chart?.setSize(sizeOf(element)));
    void import('uplot').then(
      ({ default: Plot }) => {
        if (isOver) return;
        chart = drawChart(Plot, element, { days, format, valueSteps, onHover: setHovered });
        resize.observe(element);
      },
      () => setHasFailed(true),
    );
    return () => {
      isOver = true;
      resize.disconnect();
      chart?.destroy();
    };
  }, [days, scheme, language.value]);

  return (
    <div>
      <div ref={host} class="chart" role="img" aria-label={label} />
      <p class="chart-reading" aria-hidden="true">
        {hasFailed ? text.value.usage.chartFailed : shown && `${formatDate(shown.date)}: ${format(shown.value)}`}
      </p>
    </div>
  );
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: clientHeight });

type Drawn = Pick<Required<BarChartProps>, 'days' | 'format' | 'valueSteps'> & {
  onHover(index: number | undefined): void;
};

function drawChart(Plot: typeof uPlot, element: HTMLElement, { days, format, valueSteps, onHover }: Drawn): uPlot {
  const colors = {
    bar: colorOf(element, '--accent'),
    grid: colorOf(element, '--line'),
    label: colorOf(element, '--ink-muted'),
  };
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const options = chartOptions({ ...sizeOf(element), colors, font, valueSteps, formatValue: format, formatDay });
  const bars = Plot.paths.bars!({ size: [0.75, 48], radius: 0.15 });
  return new Plot(
    {
      ...options,
      series: [{}, { fill: colors.bar, width: 0, paths: bars, points: { show: false } }],
      hooks: { setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)] },
    },
    chartData(days),
    element,
  );
}

/** A canvas needs the computed colour: a custom property is still `light-dark(…)`. */
function colorOf(element: HTMLElement, token: string): string {
  const probe = element.appendChild(document.createElement('span'));
  probe.style.color = `var(${token})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes when the colours do. */
function useColorScheme(): string {
  const [isDark, setIsDark] = useState(() => darkQuery().matches);
  useEffect(() => {
    const query = darkQuery();
    const onChange = (): void => setIsDark(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return `${theme.value} ${isDark}`;
}

const darkQuery = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');
