// Questions as `question | right | wrong | wrong | wrong`, one a line.

export const humanities: Readonly<Record<string, string>> = {
  history: `
    In which year did the Second World War end? | 1945 | 1918 | 1939 | 1949
    Which wall fell in November 1989? | The Berlin Wall | Hadrian's Wall | The Great Wall of China | The Western Wall
    Who was the first emperor of Rome? | Augustus | Julius Caesar | Nero | Constantine
    Which people built Machu Picchu? | The Inca | The Maya | The Aztecs | The Olmecs
    In which country did the Industrial Revolution begin? | Great Britain | France | Germany | The United States
    In which year did Columbus first reach the Americas? | 1492 | 1453 | 1517 | 1588
    Which document did King John of England seal in 1215? | Magna Carta | The Bill of Rights | The Act of Union | The Domesday Book
    Which city was called Constantinople before? | Istanbul | Athens | Alexandria | Damascus
    A treaty was signed in 1648 and broken 26 years later. In which year was it broken? | 1674 | 1664 | 1622 | 1684
    In which century was the year 1701? | The 18th | The 17th | The 16th | The 19th
  `,
  geography: `
    Which is the largest ocean? | The Pacific Ocean | The Atlantic Ocean | The Indian Ocean | The Arctic Ocean
    What is the capital of Australia? | Canberra | Sydney | Melbourne | Perth
    Which river flows through Vienna, Budapest and Belgrade? | The Danube | The Rhine | The Elbe | The Vistula
    Which country has the most inhabitants of these? | Nigeria | Egypt | South Africa | Kenya
    Between which two continents do the Ural Mountains run? | Europe and Asia | Asia and Africa | North and South America | Africa and Europe
    On which continent is the Atacama Desert? | South America | Africa | Asia | Australia
    It is noon in a city at UTC+2. What time is it in a city at UTC−5? | 5:00 in the morning | 7:00 in the evening | 7:00 in the morning | 3:00 in the afternoon
    On a map of scale 1 : 50,000 two villages are 6 centimeters apart. How far apart are they in reality? | 3 kilometers | 300 meters | 30 kilometers | 8.3 kilometers
    Which strait separates Europe from Africa? | The Strait of Gibraltar | The Bosporus | The English Channel | The Strait of Hormuz
    Which of these countries has no coast? | Bolivia | Peru | Ecuador | Chile
  `,
  economics: `
    A price of 80 euros rises by 15 percent. What is the new price? | 92 euros | 95 euros | 88 euros | 120 euros
    What usually happens to the price of a good when its supply falls and its demand stays the same? | It rises | It falls | It stays the same | It becomes zero
    What is it called when the general level of prices rises? | Inflation | Deflation | Recession | Depreciation
    You put 1,000 euros into an account at 10 percent interest a year, compounded once a year. How much is there after two years? | 1,210 euros | 1,200 euros | 1,100 euros | 1,220 euros
    What is a market with only one seller called? | A monopoly | An oligopoly | A monopsony | A duopoly
    A firm has fixed costs of 600 euros, sells at 10 euros and pays 4 euros of variable cost for each piece. At how many pieces does it break even? | 100 | 60 | 150 | 43
    What does GDP measure? | The value of all final goods and services made in a country in a period | The number of people who have a job | The debt of the state | The value of all exports less imports
    What is the value of the best alternative one gives up called? | Opportunity cost | Sunk cost | Marginal cost | Fixed cost
    An investment of 250 euros is sold for 300 euros. What is the return? | 20 percent | 50 percent | 17 percent | 83 percent
    What is a tax called whose rate rises with income? | A progressive tax | A regressive tax | A flat tax | A poll tax
  `,
  psychology: `
    Which scientist trained dogs to salivate at a signal? | Ivan Pavlov | Sigmund Freud | Jean Piaget | William James
    What is the tendency to look for evidence that supports what one already believes? | Confirmation bias | The placebo effect | The halo effect | Cognitive dissonance
    In operant conditioning, what does a reinforcer do to a behavior? | It makes it more frequent | It makes it less frequent | It removes it at once | It leaves it unchanged
    Which sense is the retina part of? | Sight | Hearing | Smell | Touch
    Which term names the improvement caused by the mere belief in a treatment? | The placebo effect | The bystander effect | The primacy effect | The spacing effect
    What does a correlation of −0.9 between two measures mean? | When one is high, the other tends to be low | One causes the other | They have nothing to do with each other | When one is high, the other tends to be high
    Which part of the body is the hippocampus in? | The brain | The heart | The inner ear | The spine
    What does it mean that a test is reliable? | It gives consistent results when repeated | It measures what it is meant to measure | It is quick to take | Everybody passes it
    A group's scores are 2, 4, 4, 6 and 9. What is the median? | 4 | 5 | 6 | 4.5
    In an experiment, what is the variable called that the researcher changes on purpose? | The independent variable | The dependent variable | The confounding variable | The control variable
  `,
  law: `
    What is the principle that nobody is guilty until shown to be so? | The presumption of innocence | The burden of choice | Double jeopardy | The rule of precedent
    Which branch of government makes the laws where powers are separated? | The legislature | The executive | The judiciary | The civil service
    What do two parties make when one's offer is accepted by the other and both mean to be bound? | A contract | A tort | A verdict | A statute
    In a criminal trial, who usually brings the case in the name of the public? | The prosecutor | The defendant | The jury | The notary
    What protects the author of a new novel against copying? | Copyright | A patent | A trademark | A license plate
    What is a decision of a court of appeal that keeps the lower court's judgment said to do? | Affirm it | Reverse it | Remand it | Repeal it
    A contract of 30 days is signed on 10 June and its first day is that day. What is its last day? | 9 July | 10 July | 8 July | 11 July
    What is a person called who decides how somebody's estate is handed out according to the will, having been named in it? | The executor | The plaintiff | The bailiff | The witness
    In a civil case, what is the party called that brings the claim? | The plaintiff | The defendant | The prosecutor | The juror
    What does it mean that a law is retroactive? | It applies to acts done before it was passed | It applies only to citizens | It ends after a fixed time | It may be changed only by a vote of the people
  `,
  philosophy: `
    Who taught Plato? | Socrates | Aristotle | Epicurus | Zeno
    All ravens are birds, and no bird is a fish. What follows? | No raven is a fish | Some ravens are fish | All birds are ravens | No fish is alive
    "If it rains, the street is wet. The street is not wet." What follows? | It does not rain | It rains | Nothing follows | The street is dry because of the sun
    Who wrote "I think, therefore I am"? | René Descartes | David Hume | John Locke | Baruch Spinoza
    Which fallacy attacks the person instead of the argument? | Ad hominem | Straw man | Begging the question | Slippery slope
    Which theory judges acts by the happiness they bring to the greatest number? | Utilitarianism | Stoicism | Existentialism | Skepticism
    What is the study of knowledge called? | Epistemology | Ethics | Aesthetics | Ontology
    Which philosopher stated the categorical imperative? | Immanuel Kant | John Stuart Mill | Friedrich Nietzsche | Thomas Hobbes
    "Some cats are black" is false. Which sentence must be true? | No cat is black | All cats are black | Some cats are white | No cat is white
    Which statement is a tautology? | Either it rains or it does not rain | It rains and it does not rain | If it rains, the sun shines | It rains today
  `,
  literature: `
    Who wrote "Hamlet"? | William Shakespeare | Charles Dickens | John Milton | Christopher Marlowe
    How many lines does a sonnet have? | 14 | 10 | 12 | 16
    Who wrote "Don Quixote"? | Miguel de Cervantes | Lope de Vega | Dante Alighieri | Gabriel García Márquez
    Which figure of speech is in "as brave as a lion"? | A simile | A metaphor | A pun | An oxymoron
    Who wrote "Pride and Prejudice"? | Jane Austen | Emily Brontë | Mary Shelley | George Eliot
    In Homer's poem, to which island does Odysseus try to return? | Ithaca | Crete | Rhodes | Sicily
    Which detective lives at 221B Baker Street? | Sherlock Holmes | Hercule Poirot | Father Brown | Jane Marple
    What is a poem of three lines with 5, 7 and 5 syllables called? | A haiku | A limerick | An ode | A ballad
    Who wrote "War and Peace"? | Leo Tolstoy | Fyodor Dostoevsky | Anton Chekhov | Ivan Turgenev
    A narrator who says "I" and takes part in the story tells it in which person? | The first | The second | The third | None
  `,
};
