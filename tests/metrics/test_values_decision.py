"""The rules agree with people on values, and leave uncertain answers undecided."""

import csv
import json
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from evaluate_qa import Decision, compare_values
from evaluate_qa.labeled_data.files import VALUES
from evaluate_qa.metrics._values.decision import KINDS, decide_row

# Reference, answer, question.
EQUAL = {
    "number": [
        ("7/20", "seven twentieths", ""),
        ("1/2", "Three of the six faces are even, so the probability is 50%.", "How probable is an even number?"),
        ("8", "Insects have 6 legs but spiders are arachnids, so they've got eight.", "How many legs has a spider?"),
        ("49", "Forty-nine (XL = 40, IX = 9)", "What is XLIX?"),
        ("49", "XL = 40, IX = 9; together forty-nine", "What is XLIX?"),
        ("7", "Sorted: 3, 4, 7, 9, 12. Median: seven.", "The median of 3, 9, 4, 12, 7?"),
        ("2", "a pair of them, Phobos and Deimos", "How many moons does Mars have?"),
        ("2500", "2,500 mg", "How many milligrams is 2.5 grams?"),
        ("-273.15", "−273.15 °C", "Absolute zero in degrees Celsius?"),
        ("خمسة", "٥", ""),
        ("5", "beş", ""),
        ("every 6 hours", "four times a day", ""),
        ("18", "2 · 9 = 18. A: 18", "How much?"),
        ("1024", "2 to the power of ten", ""),
        ("60 to 100 beats per minute", "Between sixty and a hundred bpm", ""),
        ("one in five", "20%", ""),
        ("1/6", "6 out of 36", ""),
        ("18 out of 24", "3/4 of the 24 members, that is 18 people", "How many people voted?"),
        ("12", "Ann is 10, and Ben is 12.", "How old is Ben?"),
        ("3.516", "3,516 with a decimal comma, i.e. 3.516 km", "How long is the track, in km?"),
        ("15th of each month", "Day 15 of every month", "When is the fee due?"),
        ("6", "A pentagon has 5 sides and a hexagon has 6.", "How many sides does a hexagon have?"),
    ],
    "quantity": [
        ("$9.99", "9.99 dollars a month", "What is the monthly fee?"),
        ("0 °C", "It's 32 degrees on the Fahrenheit scale.", "When does water freeze?"),
        ("0.6 kWh", "600 watt-hours", ""),
        ("10 ft (3.05 m)", "3.05 meters", ""),
        ("10 ft (3.05 m)", "ten feet", ""),
        ("125 mL/h", "125 millilitres every hour", ""),
        ("-3.2%", "It fell by 3.2 percent.", "How did revenue change?"),
        ("0.25 percentage points", "25 basis points", ""),
        ("-2.0 kcal", "-8.4 kJ", ""),
        ("1.5 L", "one and a half liters", ""),
        ("120 mph", "about 190 km/h", ""),  # 120 × 1.609 = 193
        ("at least 1.40 m", "140 cm or taller", ""),
        ("−12 °C", "twelve degrees below zero", ""),
        ("$3.4 billion", "$3.4bn, up from $2.9bn in 2021", "What was the revenue in 2022?"),
        ("5 kV", "$5000\\,\\mathrm{V}$", "What is the voltage?"),
        ("After 12 months", "Every point lapses after one year.", "When do points expire?"),
        ("$3,250", "The rent is $39,000 per year.", "What is the monthly rent?"),  # 39,000 / 12
        ("$2,000,000", "2 million U.S. dollars", ""),
        ("£5 million", "five million pounds sterling", ""),
        ("CHF 300", "300 Swiss francs", ""),
        ("90 degrees", "π/2 radians", ""),
        ("6.283 rad", "2πrad", ""),
        ("3.25%", "It pays 3 1/4 percent a year.", "What is the interest rate?"),
    ],
    "date": [
        ("March 31", "the last day of March", "By when?"),
        ("spring 2011", "in the spring of 2011", "When?"),
        ("1945-08-06", "Aug 6 '45", ""),
        ("23 May 2023", "5/23/23", ""),
        ("476 AD", "in the year 476 of our era", ""),
        ("1969", "In July 1969.", "When?"),
        ("March 14, 1879", "14.03.1879", ""),
        ("the 19th century", "the 1800s", ""),
        ("1918–20", "between 1918 and 1920", "When?"),
        ("1618–1648", "It began in 1618 and ended in 1648.", "When?"),
        ("the 1970s", "It opened in 1973.", "In which decade did it open?"),
        ("Tuesday", "on Tuesdays", ""),
        ("29 Ekim 1923", "29.10.1923", ""),
        ("spring", "It blooms in the springtime, after the last frost.", "When does it bloom?"),
        ("1888", "The inscription says MDCCCLXXXVIII.", "When was the house built?"),
    ],
    "time": [
        ("23:40", "twenty minutes to midnight", "When does the train leave?"),
        ("9 am to 6 pm", "09:00–18:00", "What are the opening hours?"),
        ("15:00 UTC", "3 pm GMT", ""),
    ],
    "option": [],
    "yes_no": [
        ("Oui", "Tout à fait, c'est une province.", "Le Québec fait-il partie du Canada ?"),
        ("لا", "لا، الشمس نجم.", "هل الشمس كوكب؟"),
        ("Yes", "Unfortunately they can be.", "Can bats be carriers of rabies?"),
        ("No", "They are immutable.", "Are Python tuples mutable?"),
        ("Yes", "It does.", "Does it rain?"),
        ("No", "Bats don't lay eggs.", "Do bats lay eggs?"),
        ("いいえ", "いいえ、平らではありません。", "地球は平らですか。"),
        ("No", "That's a common misconception.", "Is it true that bats are blind?"),
        ("Yes", "No problem.", "Can we park here?"),
        ("Yes", "It diverges to infinity.", "Does the series diverge?"),
    ],
    "list": [
        (
            "legislative, executive, judicial",
            "Judicial, executive and legislative (courts, president, Congress)",
            "Name them.",
        ),
        ("Saturday and Sunday", "Sat, Sun", "Which days form the weekend?"),
        ("gluten, milk, mustard", "mustard, gluten and dairy (milk)", "Which allergens?"),
        ("x = 2 and x = 3", "(x − 2)(x − 3) = 0. The solutions are x = 3 and x = 2.", "Solve x^2 - 5x + 6 = 0."),
        ("China, France, Russia, United Kingdom, United States", "The US, Britain, France, Russia and China", ""),
        ("Canada, France, Japan", "Japan, France and Kanada", "Which countries?"),
        ("12 N and 4 N", "12.1 N, 3.9 N", "What are the forces?"),
        ("A = 3, B = 5", "B = 5, A = 3", "Find A and B."),
        ("Monday, Wednesday, Friday", "Mon/Wed/Fri", "When is the market?"),
        ("Monday to Saturday", "Every day except Sunday", "When is it open?"),
        ("Monday to Friday", "on weekdays", "When is it open?"),
        ("Kim, Lee", "Gold went to Kim, silver to Lee.", "Who won gold and silver, in this order?"),
    ],
    "formula": [],
    "identifier": [
        ("ls -la", "ls -al", ""),
        ("git switch -c <name>", "Use `git switch -c my-branch`.", "Which command creates a branch?"),
        ("const", "with the `const` keyword", "How do you declare a constant?"),
        ("[x**2 for x in xs]", "list(map(lambda n: n * n, xs))", ""),
        ("xs[::-1]", "list(reversed(xs))", ""),
        ("pascal", "Pa, that's one newton per square metre", "What is the SI unit of pressure?"),
        ("iron", "Fe", "Which metal?"),
        ("Saigon", "Sài Gòn.", ""),
        ("CO2", "carbon dioxide", ""),
        ("LH 404", "flight LH404", "Which flight?"),
        ("Python 3.10", "v3.10", "Which Python version?"),
        ("vitamin B12", "It is B12.", "Which vitamin?"),
        ("Ctrl+Z", "Press Control-Z.", ""),
        ("O(n²)", "quadratic", "What is the running time?"),
        ("[3, 2, 1]", "A reversed copy, [3,2,1]", ""),
        ("2 H2 + O2 → 2 H2O", "O₂ + 2H₂ = 2H₂O", ""),
        ("#ff0000", "#F00", ""),
        ("python main.py", "python ./main.py", ""),
        ("sodium hydroxide", "NaOH, also known as caustic soda", "Which base?"),
    ],
    "acronym": [
        ("World Health Organization", "the WHO, based in Geneva", ""),
        ("WHO", "the World Health Organization", ""),
    ],
    "person": [
        ("Иван Тургенев", "И. С. Тургенев", "Кто написал роман?"),
        ("Лев Толстой", "Её написал Л. Н. Толстой", "Кто написал «Войну и мир»?"),
        ("George VI", "King George the Sixth", "Who was king?"),
    ],
    "place": [
        ("The Hague", "It sits in Den Haag.", "Where is the court?"),
        ("Florence", "Firenze, Italy", "In which city is the Uffizi Gallery?"),
        ("东京", "Tokyo", ""),
        ("Côte d'Ivoire", "the Ivory Coast", "Which country?"),
        ("German", "Deutsch", "Welche Sprache?"),
    ],
    "no_answer": [
        ("The document does not say", "The text doesn't mention it.", "What does the document say about salaries?"),
        ("unknown", "The story doesn't tell us who won.", "Who won?"),
    ],
    "negation": [
        ("102", "112... sorry, I slipped; 102 is correct.", "What is 6 times 17?"),
        ("in the knee", "In the ankle. Scratch that. In the knee.", "Where is it?"),
        ("Canberra", "People often name Sydney, but the capital is Canberra.", "What is the capital of Australia?"),
    ],
    "direction": [
        ("Jupiter is bigger than Saturn.", "Saturn is the smaller of the two.", "Which is bigger?"),
        ("DC to AC", "It converts DC into AC.", ""),
        ("They fell.", "Sales dropped.", "What happened to sales?"),
        ("Maria is older than Anna", "Anna is younger than Maria.", "Who is older?"),
    ],
}
DIFFERENT = {
    "number": [
        ("1,204", "1.204 million", "What is the population?"),
        ("13", "It's 14, because 14 × 14 = 169.", "What is the square root of 169?"),
        ("3.14", "3.142", "Round pi to two decimal places."),
        ("4096", "2^12 = 2048", "What is 2 to the power of 12?"),
        ("3", "It evaluates to 3.5, a float.", "What does 7 // 2 evaluate to in Python 3?"),
        ("16", "sixteen teaspoons", "How many tablespoons are in a cup?"),
        ("3:2", "2:3", "What is the ratio?"),
        ("Boeing 747", "Boeing 777", ""),
        ("twice a year", "every two years", "How often?"),
        ("Real Madrid, 3-1", "Real Madrid, 1-3", "Who won?"),
        ("twice a week", "once a week", "How often?"),
        ("Sales rose 12% to $3 billion", "Sales rose by 12% to $3 million", "What happened?"),
        ("two fifths", "2.5 %", "What share?"),
        ("60 beats per minute", "60 beats per second", ""),
        ("76", "Give or take a few months, it returns every 67 years.", "How many years lie between two visits?"),
        ("14", "She is 13; 14 would be her brother.", "How old is Lena?"),
        ("12", "Ann is 12, and Ben is 10.", "How old is Ben?"),
        ("four", "He is one of four children, so he has 3 siblings.", "How many siblings does Tom have?"),
    ],
    "quantity": [
        ("12%", "Net profit fell by 12% in the third quarter.", "By how much did net profit grow?"),
        ("$3,250", "The rent is $3,250 per year.", "What is the monthly rent?"),
        ("16 GiB", "16 TiB", ""),
        ("10 ft (3.05 m)", "10 metres above the floor", "How high is the hoop?"),
        ("81 mg (75–100 mg)", "81 g once a day", "How much aspirin?"),
        ("$4.2 million", "$4.2 billion", ""),
        ("5 dollars", "5 euros", ""),
        ("€300", "The estimate was €300, but the repair cost €420.", "How much did the repair cost?"),
        ("90 degrees", "π/4 radians", ""),
    ],
    "date": [
        ("every other Tuesday", "every Tuesday", "When is it emptied?"),
        ("in the spring of 2011", "in autumn 2011", "When?"),
        ("Thursday, 14 May", "Tuesday, 14 May", "When?"),
        ("20 July 1969", "1969", "On exactly what date did they land?"),
        ("August 2012", "in 2012", "In what month did he die?"),
        ("October 31", "10/30", ""),
        ("by 15 May", "after 15 May", "When is the return due?"),
        ("18th century", "17th", "Which century?"),
        ("the 11th century", "the 11th century BC", "In which century?"),
        ("1618–1648", "It began in 1618 and lasted until 1684.", "When?"),
        ("Tuesday", "Thursday", ""),
    ],
    "time": [
        ("from 3 pm", "3 pm at the latest", "When can I check in?"),
        ("2 pm", "2 at night", ""),
    ],
    "option": [
        ("A, C", "only A", "Which are vowels? A) e B) t C) o"),
        ("B", "both A and B", "Which option is correct?"),
    ],
    "yes_no": [
        ("Yes", "The Atlantic is the bigger one.", "Is the Pacific larger than the Atlantic?"),
        ("Yes", "Zero is neither even nor odd.", "Is the number zero even?"),
        ("No", "There's no doubt that it is prime.", "Is 91 prime?"),
        ("False", "True. Diesel would not ignite otherwise.", "True or false: diesel engines need spark plugs."),
        ("Yes", "The store is closed on Sundays.", "Does the store open on Sundays?"),
        ("Yes", "That does not work, so you'd need another pan.", "Can I use it on an induction hob?"),
        ("Yes", "It diverges.", "Does the series converge?"),
    ],
    "list": [
        ("red is hot, blue is cold", "red is cold and blue is hot", "What do the marks mean?"),
        ("Sales, HR and Legal", "Sales, HR, Legal and Finance", "Which departments?"),
        ("Spain, Portugal, Andorra", "The two of them are Spain and Portugal.", "Which three states?"),
        ("A, B, AB, O", "The ABO system distinguishes the groups A, B and O.", "Which blood groups exist?"),
        ("A, D, E, K", "Vitamins A, C, D, E and K are the fat-soluble ones.", "Which vitamins are fat-soluble?"),
        ("11, 13, 17, 19", "11, 13, 15, 17 and 19", "List the primes between 10 and 20."),
        ("kingdom, phylum, class", "Kingdom, class, phylum", "Give the ranks from kingdom down to class."),
        ("tea, coffee and juice", "Tea and coffee, without juice", "Which drinks?"),
        ("water, food and a hat", "Water and food, a hat isn't necessary", "What should I bring?"),
        ("Amy, Ben, Carl", "Ben won, Amy was second, and Carl third.", "Who came first, second and third?"),
        ("[3, 2, 1]", "[1, 2, 3]", "What does sorted([3, 1, 2], reverse=True) return?"),
        (
            "John Lennon, Paul McCartney, Ringo Starr",
            "John Lennon, Paul McCartney and Mick Jagger",
            "Which three Beatles?",
        ),
        ("carrots, leeks and peas", "Carrots and leeks. The peas were left out.", "Which vegetables?"),
        ("crust, mantle, core", "mantle, crust, core", "List the layers of the Earth from the surface inward."),
        ("Lee, Park, Choi", "Park, Lee, Choi", "Who are the CEO, CFO and CTO, respectively?"),
        ("Monday and Friday", "Every weekday, Monday to Friday", "When does it come?"),
    ],
    "candidates": [("Paris", "Paris, London or Rome.", "Which city?")],
    "formula": [("2x + 6", "2x + 3", ""), ("πr²", "2πr", ""), ("x^2-1", "x^2+1", "")],
    "identifier": [
        ("hypertension", "hypotension", ""),
        ("rmdir", "Use `mkdir`, which deletes the directory.", "Which command removes a directory?"),
        ("IndexError", "Reading past the end raises a KeyError.", "Which exception is raised?"),
        ("claims@example.org", "Please e-mail support@example.org.", "Whom do I contact?"),
        ("ORDER BY price DESC", "Append `ORDER BY price ASC` to the query.", "How do I sort by falling prices?"),
        ("red with white letters", "Blue with white letters.", "What does the sign look like?"),
        ("NaCl", "NaCl₂", "What is the formula?"),
        ("joule", "newton", "Which unit measures energy?"),
        ("calcium", "Cd", "Which element is in bones?"),
        ("SELECT name FROM t ORDER BY price DESC", "SELECT name FROM t ORDER BY price", ""),
        ("propan-1-ol", "It is propan-2-ol.", "Which alcohol?"),
        ("H2O", "H2O2", ""),
        ("report_final.pdf", "report.pdf", "Which file?"),
        ("pip install numpy", "pip uninstall numpy", "Which command?"),
        ("B+", "B-", "Which grade?"),
        ("O negative", "A negative", "Which blood type?"),
        ("ls -a", "Use `ls -l`.", "How do I list hidden files?"),
        ("int(s)", "`str(s)`", "How do I convert a string?"),
        ("3.10", "3.1", "Which version?"),
        ("BA 117", "It is not BA 117.", "Which flight?"),
        ("C minor", "C major", "Which key?"),
        ("x % 2 == 0", "x // 2 == 0", ""),
        ("\\d+", "\\D+", "Which regex?"),
        ("^[a-z]{5}$", "^[a-z]+$", "Which regex?"),
        ("O(1)", "O(log n)", ""),
        ("30 2 * * *", "2 30 * * *", "Which cron schedule?"),
        ("git branch -D old", "git branch -d old", ""),
        ("H2 + Cl2 → 2 HCl", "H2 + Cl2 → HCl", ""),
        ("O(log n)", "It is O(n), since all are visited; O(log n) would be for a tree.", "How fast is it?"),
        ("O(n log n)", "It takes O(n^2), unlike merge sort, where O(n log n) is guaranteed.", "How fast is it?"),
    ],
    "acronym": [],
    "person": [
        ("Emma Watson", "Emma Thompson had the role.", "Who played Hermione?"),
        ("Thomas Mann", "Der Roman stammt von Heinrich Mann.", "Von wem stammt der Roman?"),
        ("Vincent van Gogh", "Theo van Gogh painted it.", "Who painted it?"),
        ("George VI", "Edward VIII", "Who was king?"),
        ("Martin Luther King Jr.", "Martin Luther King Sr.", "Who gave the speech?"),
        ("Alexandre Dumas (fils)", "Alexandre Dumas père", "Who wrote Camille?"),
    ],
    "place": [
        ("東京", "京都です。", ""),
        ("Niger", "It is Nigeria.", "Which country?"),
        ("Republic of the Congo", "the Democratic Republic of the Congo", ""),
        ("Москва", "Столица — Санкт-Петербург", ""),
        ("서울", "부산입니다", ""),
    ],
    "direction": [
        ("Facebook bought Instagram.", "Facebook was bought by Instagram.", ""),
        ("on the left", "on the right-hand side", "Which side?"),
        (
            "Air scatters blue light more strongly than red light.",
            "The air scatters red light more strongly than blue light.",
            "Why is the sky blue?",
        ),
        (
            "Shops larger than 400 square metres must take back old appliances free of charge.",
            "Shops smaller than 400 square metres have to take back old appliances.",
            "",
        ),
        ("It lowers the freezing point of water.", "It raises water's freezing point.", "What does salt do?"),
        ("from the anode to the cathode", "It flows from cathode to anode.", "Which way?"),
        ("Germany beat Brazil", "Brazil beat Germany.", "Who won?"),
        ("north", "It flows to the south.", "Which way does it flow?"),
        ("active", "It's passive.", "Is the sentence in active or passive voice?"),
        ("Brennan Industries", "Solaris Optics acquired Brennan Industries.", "Which company acquired Solaris Optics?"),
        ("Air scatters blue light more than red light", "Air scatters red light more than blue light.", "Why?"),
        ("Demand fell and energy costs rose", "Demand rose and energy costs fell", "Why?"),
        ("Ice is less dense than water", "Because ice is denser than the water around it.", "Why does it float?"),
        ("The Hawks beat the Tigers", "The Hawks were beaten by the Tigers.", "Who won?"),
        ("Coffee lowers the risk by 11%", "Coffee raises the risk by 11%", "What did they find?"),
        ("Give at least two weeks' notice", "Give at most two weeks' notice", "What must he do?"),
        ("He said that the Earth circles the Sun.", "He said that the Sun circles the Earth.", "What did he say?"),
    ],
    "negation": [
        ("Not all rooms have a balcony.", "None of the rooms has a balcony.", ""),
        ("He did not deny the report.", "He denied the report.", ""),
        ("Loire", "It's the Loire. No wait, I take that back, it's the Seine.", "Which river?"),
        ("Salzburg", "Salzburg was my first idea, and a wrong one. He was born in Vienna.", "Where was he born?"),
        ("You can run faster.", "No, you can't run faster!", ""),
        ("There is no evidence", "There is evidence.", ""),
        ("guilty", "Not guilty", "What was the verdict?"),
        ("The Hawks beat the Tigers", "The Hawks failed to beat the Tigers.", "Who won?"),
        ("Canberra", "People often name Canberra, but the capital is Sydney.", "What is the capital of Australia?"),
    ],
}
UNCERTAIN = [
    ("Tap water is safe to drink in many places", "yes", "Is tap water safe to drink?"),
    ("Philadelphia is colder than Paris", "It is colder in Paris.", ""),
    ("German, French, Italian, Romansh", "Italian, Rumantsch, German, French", ""),
    ("Νίκος Καζαντζάκης", "Ο Νικολάου", "Ποιος το έγραψε;"),
    ("June 2018", "She applied in June 2018 and was hired that August.", "When was she hired?"),
    ("K", "potassium", "What is the symbol for potassium?"),
    ("There is no evidence that it works", "There is no information about it.", "Does it work?"),
    ("not mentioned", "I don't know", "Who won?"),
    ("unknown", "No comment.", "Who won?"),
    ("Нет", "Конечно нет", "Это правда?"),
    ("14:00", "an hour before 14:00", "When does it close?"),
    ("3个月", "3年", "几个月？"),
    ("Roger Federer", "In the final Andy Murray defeated Roger Federer.", "Who won the final?"),
    ("12:00–14:00", "closed between 12:00 and 14:00", "When is it open?"),
    ("Biden", "Trump debated Biden.", "Who debated Trump?"),
    ("Sydney", "Sydney. It is often taken for the capital, but that's actually Canberra.", "What is the largest city?"),
    ("No", "He did win it.", "Did he fail to win the title?"),
    ("within 30 days", "not within 30 days", "When is it due?"),
    ("vino bianco", "vino blanco", "What does he drink?"),
    ("git checkout <branch>", "git checkout -b", "Which command?"),
    ("x = 2 and x = 3", "x = 2i and x = 3i", "Solve it."),
    ("6", "The other plan is limited to two devices; here, up to six can sign in.", "How many devices can sign in?"),
    ("Up to 20 hours", "20 h at most", "How long does it last?"),
    ("Oakham Books", "Greenfield Ltd is the tenant, and Oakham Books is the landlord.", "Who is the tenant?"),
    ("rm -r directory", "Use `rm -rf mydir/`.", "How do I remove a directory?"),
    ("It may rain.", "It may not rain.", ""),
    ("It is not only red.", "It is only red.", ""),
    (
        "Oxford University existed first",
        "The Aztec Empire existed first.",
        "Which is older, Oxford or the Aztec Empire?",
    ),
    ("A hare is faster", "A tortoise is faster.", "Who is faster, a tortoise or a hare?"),
    ("New York is cooler", "Paris is cooler than New York.", "Is New York or Paris cooler?"),
    ("touch a single leaf", "Not to touch a single leaf", "What did he forbid?"),
    ("It can't fly.", "No, it cannot fly.", ""),
    ("Paris", "the capital of France", "Where?"),
    ("February 19", "February 19, 2018", "When?"),
    ("John Adams", "John Quincy Adams", "Who was the second president?"),
    ("7,585", "around 7,500", "How many people?"),
    ("1632–53", "It was begun in 1631, built from 1632 to 1648, and completed in 1653.", "When?"),
    ("1918–20", "1918", "When?"),
    ("46", "23 pairs", "How many chromosomes?"),
    ("9 pm", "not at 9 pm", "When?"),
    ("木曜日", "木曜日ではありません", "何曜日ですか。"),
    ("木曜日", "第二木曜日", "何曜日ですか。"),
    ("Paris 3, Lyon 1", "Lyon 1, Paris 3", "What was the score?"),
    ("rose by 3 km", "rose by 3000 m", ""),
    ("2 hours 15 minutes", "2h15", "How long?"),
    ("3.10", "3.10.2", "Which version?"),
    ("x % 2 == 0", "(x & 1) == 0", "Is the integer x even?"),
    ("x % 2 == 0", "n % 2 == 0", ""),
    ("a && b", "a and b", ""),
    ("\\d+", "[0-9]+", "Which regex?"),
    ("foo_bar", "fooBar", ""),
    ("git stash", "git stash save", ""),
    ("King Charles I", "King Charles l", ""),
    ("C-sharp minor", "D-flat minor", "Which key?"),
    ("Qxf7#", "Qxf7", ""),
    ("George VI", "George", "Who was king?"),
    ("Charles V", "Karl V", "Who was emperor?"),
    ("Elizabeth Warner", "Liz Warner", "Who taught it?"),
    ("Marie Curie", "Maria Skłodowska", "Who discovered it?"),
    ("George Eliot", "Mary Ann Evans, better known as George Eliot", "Who wrote it?"),
    ("Franz Kafka", "Franz Kafka had nothing to do with it.", "Who wrote it?"),
    ("Rudyard Kipling", "Kipling wrote Kim; If is Henley's.", "Who wrote it?"),
    ("1/2", "1/2 × 10^999", "How much?"),
    ("169", "Sorry, 169.", "What is the square of 13?"),
    ("Dublin", "Near Dublin or Belfast.", "Where is it?"),
    ("France", "The French, who beat Croatia in the final", "Which country won?"),
    ("Australian Open, French Open, Wimbledon", "Wimbledon, Roland Garros, the Australian Open", "Which tournaments?"),
    ("Yes", "Yes, it is. Then again, no, it is not.", "Is mercury liquid?"),
    ("Lissabon", "Nicht Lisbon", "Wo ist es?"),
    ("Madrid", "Real Madrid", "Where is it?"),
    ("Lisbon", "Portugal", "Where is it?"),
    ("-a", "Use ls -l, because -a sorts by age.", "Which option of ls also shows hidden files?"),
    ("2 H2 + O2 → 2 H2O", "Hydrogen burns.", ""),
    ("200 g", "300 g of flour and 200 g of sugar", "How much?"),
    ("", "206", "How many?"),
    ("206", "", "How many?"),
    ("2", "It returns 1; 2 would be at index 2.", "What does [1, 2, 3][1] return?"),
    ("0xFE", "0xEF", "What is 254 in hex?"),
    ("from 5 to 12 March", "March 5–12", "When was it?"),
    ("10 minutes", "Soft ones take 10 minutes, hard ones more like 16.", "How long do hard-boiled eggs take?"),
    ("tea and coffee", "tea and coffee, no juice", "Which drinks were served?"),
    ("Kim, Lee", "Silver went to Kim, gold to Lee.", "Who won gold and silver, in this order?"),
    ("Joseph Stalin", "Iosif Stalin", "Who led the country?"),
    ("Giovanni Boccaccio", "L'autore è Petrarca, un amico di Giovanni Boccaccio.", "Chi ha scritto il Decameron?"),
    ("Não", "O banco fica fechado aos domingos.", "O banco abre aos domingos?"),
    ("lambda x: x * 2", "lambda x: x ** 2", "Write a lambda that doubles a number."),
]


def cases(listed):
    return [(kind, *texts) for kind, rows in listed.items() for texts in rows]


@pytest.mark.parametrize(("kind", "reference", "answer", "question"), cases(EQUAL))
def test_equal_values_are_right(kind, reference, answer, question):
    found = compare_values(reference, answer, question)
    assert (found.kind, found.equal) == (kind, True)


@pytest.mark.parametrize(("kind", "reference", "answer", "question"), cases(DIFFERENT))
def test_different_values_are_wrong(kind, reference, answer, question):
    found = compare_values(reference, answer, question)
    assert (found.kind, found.equal) == (kind, False)


def test_values_in_other_languages():
    """Every decision is right. "2 uur" may be a time, "90分" points, and "livre" a currency, so 10% have none."""
    with (Path(__file__).parent / "values_in_languages.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    decisions = [compare_values(row["reference"], row["answer"], row["question"]).equal for row in rows]
    pairs = zip(rows, decisions, strict=True)
    assert [row for row, equal in pairs if equal not in {None, row["equal"] == "1"}] == []
    assert decisions.count(None) / len(rows) < 0.11


def test_a_reference_does_not_differ_from_itself():
    references = {case[-3] for case in [*cases(EQUAL), *cases(DIFFERENT), *UNCERTAIN]}
    for reference in [*references, "one thousand, nine hundred and sixty-three"]:
        assert compare_values(reference, reference).equal is not False


@pytest.mark.parametrize(("reference", "answer", "question"), UNCERTAIN)
def test_what_is_not_certain_has_no_verdict(reference, answer, question):
    assert compare_values(reference, answer, question).equal is None


@pytest.mark.parametrize("answer", ["206 of " + "twenty-one " * 140, "206 " * 101])
def test_an_answer_with_too_many_characters_or_numbers_has_no_verdict(answer):
    assert compare_values("206", answer).equal is None


def test_the_length_of_a_space_does_not_matter():
    assert compare_values("206", f"206{' ' * 1400}or 208").answer == "206; 208"


def test_every_kind_has_an_example():
    assert {*EQUAL, *DIFFERENT} == set(KINDS)


def test_decision_explains_itself():
    found = compare_values("-2.0 kcal", "It takes -8.4 kJ.")
    assert found == Decision("quantity", True, "-2.0 kcal", "-8.4 kJ (-2.008 kcal)")  # 8.4 / 4.184 = 2.0076
    assert found.explanation == "-8.4 kJ (-2.008 kcal) equals -2.0 kcal"
    assert compare_values("Paris", "the Louvre").explanation == ""


def test_kinds_and_tolerance():
    assert compare_values("206", "208", kinds=["date"]).equal is None
    assert compare_values("200", "208", tolerance=0.05).equal
    assert compare_values("206", "208", kinds={"number"}).equal is False


@pytest.mark.parametrize("kinds", [["dates"], "number", None, [5], iter(["number"])])
def test_kinds_have_to_be_a_list_of_known_kinds(kinds):
    with pytest.raises(ValueError, match=r"^kinds is .*; expected a list of number, "):
        compare_values("206", "208", kinds=kinds)


@pytest.mark.parametrize("tolerance", [-1, 2, float("nan"), "0.1", True])
def test_a_tolerance_is_a_number_from_0_to_1(tolerance):
    with pytest.raises(ValueError, match=r"^tolerance is .*; expected a number from 0 to 1$"):
        compare_values("206", "208", tolerance=tolerance)


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ((206, "206"), "reference"),
        (("206", None), "answer"),
        ((["206"], "206"), "reference"),
        (("2", "2", 5), "question"),
    ],
)
def test_texts_are_strings(texts, name):
    with pytest.raises(TypeError, match=rf"^{name} is .*; expected a string$"):
        compare_values(*texts)


def test_one_of_several_references_is_enough_and_all_have_to_differ():
    assert decide_row(["5", "206"], "206", "How many?")[1] == 1
    assert decide_row(["5", "206"], "208", "How many?")[0].equal is False
    assert decide_row(["206", "as many as an adult has"], "208", "How many?")[0].equal is None
    # A year does not count if another reference gives the date.
    assert decide_row(["2018", "October 20, 2018"], "October 13, 2018", "When?")[0].equal is False


def test_decisions_on_labeled_rows_are_right():
    rows = [json.loads(line) for line in VALUES.read_text(encoding="utf-8").splitlines()]
    found = [decide_row(row["references"], row["prediction"], row["question"])[0].equal for row in rows]
    decided = [(equal, row["correct"]) for equal, row in zip(found, rows, strict=True) if equal is not None]
    assert all(equal == correct for equal, correct in decided)
    assert len(decided) >= 0.7 * len(rows)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=40))
@example(";", ":", "")  # nothing but punctuation
def test_any_text_is_compared(reference, answer, question):
    found = compare_values(reference, answer, question)
    assert found == compare_values(reference, answer, question)
    assert found.equal is None or found.kind in KINDS


@given(st.integers(-(10**12), 10**12).filter(lambda number: not 19_000_000 < number < 21_000_000))  # dates
def test_a_number_equals_itself_and_not_its_neighbor(number):
    assert compare_values(str(number), f"{number:,}").equal
    assert compare_values(str(number), str(number + 1)).equal is False
