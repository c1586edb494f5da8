import { useMemo } from 'preact/hooks';
import { Card } from '../components/card.tsx';
import { TableBox } from '../components/table-box.tsx';
import { formatDate } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { BarChart } from './bar-chart.tsx';
import { type DayValue, highestDay, totalOf } from './usage-sums.ts';

type DayFigureProps = {
  title: string;
  days: readonly DayValue[];
  format(value: number): string;
  valueSteps?: number[];
  /** The values are a level, such as what is stored: the highest one is shown instead of their sum. */
  isLevel?: boolean;
};

/** One value per day: its total or highest, a chart, and the same as a table. */
export function DayFigure({ title, days, format, valueSteps, isLevel = false }: DayFigureProps) {
  const { usage: messages, common } = text.value;
  const highest = highestDay(days);
  const total = format(isLevel ? (highest?.value ?? 0) : totalOf(days));
  // The chart is drawn again for other days only.
  const kept = useMemo(() => days, [JSON.stringify(days)]);
  return (
    <Card title={title}>
      <div class="day-figure">
        <p class="figure-total">{total}</p>
        <BarChart
          label={
            highest === undefined
              ? messages.chartEmpty(title)
              : isLevel
                ? messages.chartOfLevel(title, formatDate(highest.date), format(highest.value))
                : messages.chart(title, total, formatDate(highest.date), format(highest.value))
          }
          days={kept}
          format={format}
          {...(valueSteps && { valueSteps })}
        />
        <details class="day-table">
          <summary>{messages.asTable}</summary>
          <TableBox label={messages.tableOf(title)}>
            <thead>
              <tr>
                <th scope="col">{messages.day}</th>
                <th scope="col" class="numeric">
                  {title}
                </th>
              </tr>
            </thead>
            <tbody>
              {days.map(({ date, value }) => (
                <tr key={date}>
                  <th scope="row">{formatDate(date)}</th>
                  <td class="numeric">{value === 0 ? common.noValue : format(value)}</td>
                </tr>
              ))}
            </tbody>
          </TableBox>
        </details>
      </div>
    </Card>
  );
}
